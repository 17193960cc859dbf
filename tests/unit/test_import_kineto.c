/* SPDX-License-Identifier: BSD-3-Clause */
/* kineto: real traces of two steps each on an H200, counts by pen; shapes of other operators. */
#include "tests/unit/import_cpu_fixture.h"

static void real_products(void **state)
{
    const double cube = 2.0 * 2048 * 2048 * 2048, square = 2048.0 * 2048;
    import("kineto/h200-products.json");
    const struct rfl_point *mm = point("aten::mm 2048x2048 2048x2048 fp64");
    assert_close(flops(mm, "fp64"), 2 * cube, 0);
    assert_string_equal(mm->work[0].unit, "tensor");
    assert_close(mm->launches, 2, 0);
    assert_close(bytes(mm, "HBM"), 2 * 3 * square * 8, 0);
    const struct rfl_point *ints = point("aten::_int_mm 2048x2048 2048x2048 int8");
    assert_close(flops(ints, "int8"), 2 * cube, 0);
    assert_close(bytes(ints, "HBM"), 2 * (2 * square + 4 * square), 0);
    const struct rfl_point *scaled = point("aten::_scaled_mm 2048x2048 2048x2048 fp8");
    assert_close(flops(scaled, "fp8"), 2 * cube, 0);
    /* operands of a byte, two scales, a result of two bytes */
    assert_close(bytes(scaled, "HBM"), 2 * (2 * square + 2 * 4 + 2 * square), 0);
    const struct rfl_point *batched =
        point("aten::baddbmm 8x512x512 8x512x512 8x512x512 bf16");
    assert_close(flops(batched, "bf16"), 2 * 8 * 2.0 * 512 * 512 * 512, 0);
    assert_close(bytes(batched, "HBM"), 2 * 4 * 8.0 * 512 * 512 * 2, 0);
    assert_close(flops(point("aten::addmv_ 2048 2048x2048 2048 bf16"), "bf16"), 4 * square,
                 0);
    const struct rfl_point *copy = point("aten::copy_ 2048x2048 2048x2048 fp64");
    assert_close(bytes(copy, "HBM"), 4 * square * (8 + 2), 0);
    assert_close(rfl_traffic_read_share(rfl_point_traffic(copy, "HBM")), 0.2, 0);
    assert_close(points.busy_s, 978.27e-6, 1e-4);
    assert_close(points.elapsed_s, 2354.33e-6, 1e-4);
}

static void real_convolutions(void **state)
{
    const double first = 2.0 * 4 * 32 * 64 * 64 * 32 * 8 * 27,
                 second = 2.0 * 4 * 16 * 32 * 32 * 32 * 32 * 27;
    import("kineto/h200-conv3d.json");
    assert_close(
        flops(point("aten::cudnn_convolution 4x8x32x64x64 32x8x3x3x3 fp32"), "tf32"),
        2 * first, 0);
    assert_close(
        flops(point("aten::cudnn_convolution 4x32x32x64x64 32x32x3x3x3 fp32"), "tf32"),
        2 * second, 0);
    /* the image needs no gradient, so that the first has one product, the second two */
    assert_close(
        flops(
            point("aten::convolution_backward 4x32x32x64x64 4x8x32x64x64 32x8x3x3x3 fp32"),
            "tf32"),
        2 * first, 0);
    assert_close(
        flops(
            point(
                "aten::convolution_backward 4x32x16x32x32 4x32x32x64x64 32x32x3x3x3 fp32"),
            "tf32"),
        4 * second, 0);
    const struct rfl_point *bias = point("aten::add_ 4x32x32x64x64 1x32x1x1x1 fp32");
    assert_close(bytes(bias, "HBM"), 2 * 4 * (2 * 4.0 * 32 * 32 * 64 * 64 + 32), 0);
    assert_contains(missing(bias, "operations"), "no operations were counted");
    /* four tensors: weights and biases of both */
    assert_close(bytes(point("aten::_foreach_mul_ (4) fp32"), "HBM"),
                 2 * 2 * 4 * (32.0 * 8 * 27 + 32 + 32 * 32 * 27 + 32), 0);
}

static void real_attention(void **state)
{
    import("kineto/h200-bert.json");
    const struct rfl_point *attention = point(
        "aten::_efficient_attention_forward 16x256x12x64 16x256x12x64 16x256x12x64 fp32");
    /* two layers, two steps; three products of TF32 make one of FP32: ncu counts 9663676416 a kernel */
    assert_close(flops(attention, "tf32"), 4 * 3 * 2.0 * 16 * 12 * 256 * 256 * 128, 0);
    assert_close(flops(attention, "tf32"), 4 * 9663676416.0, 0);
    assert_close(bytes(attention, "HBM"), 4 * 4 * 4.0 * 16 * 256 * 12 * 64, 0);
    const struct rfl_point *mm = point("aten::addmm 2304 4096x768 768x2304 fp32");
    assert_string_equal(mm->work[0].unit, "core");
    assert_close(flops(mm, "fp32"), 4 * 2.0 * 4096 * 768 * 2304, 0);
}

/* A trace of one kernel of 5 us of an operator with these arguments. */
static enum ert_status import_call(const char *name, const char *dims, const char *types,
                                   const char *values, const char *kernel)
{
    char text[4096];
    snprintf(text, sizeof text,
             "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", "
             "\"args\": {\"External id\": 7, \"Input Dims\": %s, \"Input type\": %s, "
             "\"Concrete Inputs\": %s}}, {\"cat\": \"kernel\", \"name\": \"%s\", \"ts\": "
             "1.5, \"dur\": 5, \"args\": {\"External id\": 7}}]}\n",
             name, dims, types, values, kernel);
    return import_text(&rfl_import_kineto, text, NULL);
}

static void shapes_of_other_operators(void **state)
{
    static const char half3[] = "[\"c10::Half\", \"c10::Half\", \"c10::Half\"]",
                      list[] = "[\"float\", \"TensorList\"]";
    /* queries 1 to 100 see 1 to 100 keys, of 64 elements */
    assert_int_equal(
        import_call("aten::_flash_attention_forward",
                    "[[2, 100, 8, 64], [2, 100, 4, 64], [2, 100, 4, 64]]", half3,
                    "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"True\"]", "flash"),
        ERT_OK);
    assert_close(flops(&points.points[0], "fp16"), 2.0 * 2 * 8 * 5050 * 128, 0);
    assert_int_equal(import_call("aten::_flash_attention_forward",
                                 "[[200, 8, 64], [200, 4, 64], [200, 4, 64]]", half3, "[]",
                                 "flash"),
                     ERT_OK);
    assert_contains(missing(&points.points[0], "operations"), "lengths");
    assert_int_equal(
        import_call("aten::cudnn_convolution_transpose",
                    "[[8, 256, 32, 32], [256, 128, 2, 2]]", half3,
                    "[\"\",\"\",\"[0, 0]\",\"[0, 0]\",\"[2, 2]\",\"[1, 1]\",\"1\"]", "k"),
        ERT_OK);
    assert_close(flops(&points.points[0], "fp16"), 2.0 * 8 * 32 * 32 * 256 * 128 * 4, 0);
    assert_close(bytes(&points.points[0], "HBM"),
                 2.0 * (8 * 256 * 32 * 32 + 256 * 128 * 4 + 8 * 128 * 64 * 64), 0);
    assert_int_equal(
        import_call("aten::linear", "[[5, 3, 16], [7, 16], [7]]", half3, "[]", "gemv2T"),
        ERT_OK);
    assert_close(flops(&points.points[0], "fp32"), 2.0 * 15 * 16 * 7, 0);
    assert_string_equal(points.points[0].work[0].unit, "core");
    assert_int_equal(import_call("aten::_cudnn_rnn",
                                 "[[10, 4, 32], [[128, 32], [128, 32], [128], [128]]]",
                                 list, "[]", "s1688gemm"),
                     ERT_OK);
    assert_close(flops(&points.points[0], "tf32"), 2.0 * 10 * 4 * 2 * 128 * 32, 0);
    assert_int_equal(import_call("aten::embedding", "[[32000, 64], [4, 10]]",
                                 "[\"float\", \"long int\"]", "[]", "k"),
                     ERT_OK);
    assert_close(bytes(&points.points[0], "HBM"), 40 * (2 * 64 * 4 + 8.0), 0);
    assert_int_equal(import_call("triton_poi_fused_gelu_3", "[[8, 8], [8, 8], []]",
                                 "[\"c10::BFloat16\", \"float\", \"Scalar\"]", "[]",
                                 "triton_poi_fused_gelu_3"),
                     ERT_OK);
    assert_close(bytes(&points.points[0], "HBM"), 64 * 6, 0);
}

/* They have its launch's number, and the id of whatever operator was active. */
static void kernels_of_a_graph_are_no_operator_s(void **state)
{
    static const char text[] =
        "{\"traceEvents\": [{\"cat\": \"cpu_op\", \"name\": \"aten::fill_\", \"args\": "
        "{\"External id\": 7, \"Input Dims\": [[8]], \"Input type\": [\"float\"]}}, "
        "{\"cat\": \"cuda_runtime\", \"name\": \"%s\", \"args\": {\"External id\": 7, "
        "\"correlation\": 3}}, {\"cat\": \"kernel\", \"name\": \"gemm\", \"ts\": 1, "
        "\"dur\": 5, \"args\": {\"External id\": 7, \"correlation\": 3}}, {\"cat\": "
        "\"kernel\", \"name\": \"own\", \"ts\": 19, \"dur\": 5, \"args\": "
        "{\"correlation\": 5}}]}";
    char kernel[sizeof text + 32], graph[sizeof text + 32];
    snprintf(kernel, sizeof kernel, text, "cudaLaunchKernel");
    snprintf(graph, sizeof graph, text, "cudaGraphLaunch");
    assert_int_equal(import_text(&rfl_import_kineto, kernel, NULL), ERT_OK);
    assert_close(point("aten::fill_ 8 fp32")->time_s, 5e-6, 1e-12);
    assert_int_equal(import_text(&rfl_import_kineto, graph, NULL), ERT_OK);
    assert_contains(missing(point("gemm"), "operations"), "a graph");
    assert_contains(missing(point("own"), "operations"), "no operator");
    /* Neither a launch of a graph nor a kernel that say which are the same. */
    assert_int_equal(
        import_text(&rfl_import_kineto,
                    "{\"traceEvents\": [{\"cat\": \"cpu_op\", \"name\": \"aten::fill_\", "
                    "\"args\": {\"External id\": 7, \"Input Dims\": [[8]], \"Input type\": "
                    "[\"float\"]}}, {\"cat\": \"cuda_runtime\", \"name\": "
                    "\"cudaGraphLaunch\", \"args\": {}}, {\"cat\": \"kernel\", \"name\": "
                    "\"fill\", \"ts\": 1, \"dur\": 5, \"args\": {\"External id\": 7}}]}",
                    NULL),
        ERT_OK);
    assert_close(point("aten::fill_ 8 fp32")->time_s, 5e-6, 1e-12);
}

/* The shapes of copy_ do not tell that one side is the host's memory, the trace's name of the work does. */
static void copies_to_and_from_the_host(void **state)
{
    static const char text[] =
        "{\"traceEvents\": [{\"cat\": \"cpu_op\", \"name\": \"aten::copy_\", \"args\": "
        "{\"External id\": 7, \"Input Dims\": [[8], [8]], \"Input type\": [\"float\", "
        "\"float\"]}}, {\"cat\": \"gpu_memcpy\", \"name\": \"Memcpy %s\", \"ts\": 1, "
        "\"dur\": 5, \"args\": {\"External id\": 7, \"bytes\": 32}}]}";
    char copy[sizeof text + 64];
    snprintf(copy, sizeof copy, text, "HtoD (Pageable -> Device)");
    assert_int_equal(import_text(&rfl_import_kineto, copy, NULL), ERT_OK);
    assert_close(bytes(&points.points[0], "host"), 32, 0);
    assert_true(points.points[0].n_traffic == 1);
    snprintf(copy, sizeof copy, text, "DtoD (Device -> Device)");
    assert_int_equal(import_text(&rfl_import_kineto, copy, NULL), ERT_OK);
    assert_close(bytes(&points.points[0], "HBM"), 64, 0);
    assert_true(rfl_point_traffic(&points.points[0], "host") == NULL);
}

static void what_is_not_known_is_said(void **state)
{
    assert_int_equal(
        import_text(
            &rfl_import_kineto,
            "{\"traceEvents\": [{\"cat\": \"cpu_op\", \"name\": \"record_param_comms\", "
            "\"args\": {\"External id\": 3, \"Collective name\": \"allreduce\", \"Input "
            "Dims\": [[[1024]]], \"Input type\": [\"TensorList\"]}}, {\"cat\": \"kernel\", "
            "\"name\": \"ncclDevKernel_AllReduce_Sum_bf16_RING_LL\", \"ts\": 1, \"dur\": "
            "2, \"args\": {\"External id\": 3}}]}",
            NULL),
        ERT_OK);
    assert_string_equal(points.points[0].name, "allreduce (1) bf16");
    assert_contains(missing(&points.points[0], "HBM bytes"), "no rule");
    assert_int_equal(import_call("aten::_foreach_mul_", "[[], []]",
                                 "[\"TensorList\", \"Scalar\"]", "[]",
                                 "multi_tensor_apply_kernel"),
                     ERT_OK);
    assert_contains(missing(&points.points[0], "operations"), "long lists");
    assert_int_equal(import_call("my::op", "[[4, 4]]", "[\"float\"]", "[]", "my_kernel"),
                     ERT_OK);
    assert_contains(missing(&points.points[0], "HBM bytes"), "no rule");
    assert_int_equal(import_call("aten::mm", "[]", "[]", "[]", "gemm"), ERT_OK);
    assert_contains(missing(&points.points[0], "operations"), "record_shapes");
    assert_int_equal(import_text(&rfl_import_kineto,
                                 "{\"traceEvents\": [{\"cat\": \"kernel\", \"name\": "
                                 "\"a<\\\"b\\\">\", \"ts\": 1, \"dur\": 2, \"args\": {}}]}",
                                 NULL),
                     ERT_OK);
    assert_string_equal(points.points[0].name, "a<\"b\">");
    assert_contains(missing(&points.points[0], "operations"), "no operator");
    refused(&rfl_import_kineto,
            "{\"traceEvents\": [{\"cat\": \"cpu_op\", \"name\": \"a\"}]}", "no kernel ran");
    refused(&rfl_import_kineto,
            "{\"traceEvents\": [{\"cat\": \"kernel\", \"name\": \"a\", ", "incomplete");
    refused(&rfl_import_kineto, "{\"traceEvents\": 5}", "no array");
    refused(&rfl_import_kineto,
            "{\"traceEvents\": [{\"cat\": \"kernel\", \"name\": \"a\", \"ts\": 1, \"dur\": "
            "-2}]}",
            "byte 67: a kernel or copy without a start or duration");
}

/* In a value of 65 MiB it does not end. */
static void too_long_an_event_is_named(void **state)
{
    static const char begin[] = "{\"traceEvents\": [{\"name\": \"";
    const size_t size = (size_t)65 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'a', size);
    memcpy(text, begin, sizeof begin - 1);
    text[size - 1] = '\0';
    refused(&rfl_import_kineto, text, "the event at byte 17 is longer than 64 MiB");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_products),
        cmocka_unit_test(real_convolutions),
        cmocka_unit_test(real_attention),
        cmocka_unit_test(shapes_of_other_operators),
        cmocka_unit_test(kernels_of_a_graph_are_no_operator_s),
        cmocka_unit_test(copies_to_and_from_the_host),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(too_long_an_event_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
