/* SPDX-License-Identifier: BSD-3-Clause */
/* names: what labels make of kernels' names. */
#include "tests/unit/test.h"

#include "analysis/core/points/reader.h"
#include "analysis/ext/import/common.h"

static void names_are_short(void **state)
{
    static const char *const rows[][2] = {
        {"gpp",                                                "gpp"              },
        {"void f<4, float>(int, ns::g<3>)",                    "f"                },
        {"void at::native::add<std::array<char*, 3ul> >(int)", "add"              },
        {"void f<bar<int>, (baz)3>(double*) [clone .kd]",      "f"                },
        {"(anonymous namespace)::foo(int) const",              "foo"              },
        {"void at::<unnamed>::pool<int>(T1)",                  "pool"             },
        {"std::vector<int> ns::make<int>(int)",                "make"             },
        {"ns::S::operator()(int) const",                       "operator()"       },
        {"ns::operator<<(int)",                                "operator<<"       },
        {"void f",                                             "f"                },
        {"v0 (baseline)",                                      "v0 (baseline)"    },
        {"loop at main.c:12",                                  "loop at main.c:12"},
        {"a < b",                                              "a < b"            },
        {"f<3",                                                "f"                },
        {"f(int",                                              "f"                },
        {"::",                                                 "::"               },
        {"",                                                   "(no name)"        },
        {"<<<>>>",                                             "<<<>>>"           },
        {"_Z3fooi",                                            "_Z3fooi"          },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text;
        struct ert_strings strings = {.n_texts = 0};
        rfl_names_short(&strings, &rows[i][0], 1, 39, &text);
        assert_string_equal(text, rows[i][1]);
        ert_strings_free(&strings);
    }
}

static void cut_names_are_whole_characters(void **state)
{
    char text[8];
    rfl_name_cut("1234567", text, sizeof text);
    assert_string_equal(text, "1234567");
    rfl_name_cut("12345678", text, sizeof text);
    assert_string_equal(text, "12345..");
    rfl_name_cut("12\u65e5\u672c", text, sizeof text); /* 2 + 3 + 3 bytes */
    assert_string_equal(text, "12\u65e5..");
    rfl_name_cut("1\u65e5\u672c\u8a9e", text, sizeof text);
    assert_string_equal(text, "1\u65e5..");
}

/* Names of a training step of ResNet-50 under PyTorch: most are instances of a few templates. */
static void instances_are_told_apart(void **state)
{
#define ELEMENTWISE "void at::native::vectorized_elementwise_kernel<(int)4, at::native::"
#define LAMBDA      "[lambda() (instance 1)]::operator ()() const"
#define XMMA        "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize"
    static const char *const names[] = {
        ELEMENTWISE
        "CUDAFunctor_add<float>, std::array<char *, (unsigned long)3>>(int, T2)",
        ELEMENTWISE
        "(anonymous namespace)::launch_clamp_scalar(at::Base &, c10::Scalar)::" LAMBDA
        ", std::array<char *, (unsigned long)2>>(int, T2, T3)",
        "void cudnn::bn_fw_tr_1C11_kernel_NCHW<__half, float, (int)512, (bool)1>(T1)",
        XMMA "128x128x64_warpgroupsize1x1x1_g1_cudnn",
        XMMA "64x32x64_warpgroupsize1x1x1_g1_cudnn",
        "void f<1, a>(int)",
        "void f<1, b>(int)",
        "void f<2, b>(int)",
        "k<ns::s<3, ns::t>>",
        "k<4>",
        "k<4>",
    };
#undef ELEMENTWISE
#undef LAMBDA
#undef XMMA
    enum { N = sizeof names / sizeof names[0] };
    static const char *const wanted[N] = {
        "vectorized_elementwise_kernel<CUDAFunc..",
        "vectorized_elementwise_kernel<launch_c..",
        "bn_fw_tr_1C11_kernel_NCHW",
        "sm90_xmma_fp..tilesize128x128x64_warpg..",
        "sm90_xmma_fp..tilesize64x32x64_warpgro..",
        "f<1, a>",
        "f<1, b>",
        "f<2, b>",
        "k<s<3, t>>",
        "k<4>",
        "k<4>",
    };
    const char *texts[N];
    struct ert_strings strings = {.n_texts = 0};
    rfl_names_short(&strings, names, N, 40, texts);
    for (size_t i = 0; i < N; i++)
        assert_string_equal(texts[i], wanted[i]);
    rfl_names_short(&strings, names, 2, 32, texts);
    assert_string_equal(texts[0], "vectorize..CUDAFunctor_add<flo..");
    assert_string_equal(texts[1], "vectorized..launch_clamp_scalar>");
    rfl_names_short(&strings, names, 1, 40, texts);
    assert_string_equal(texts[0], "vectorized_elementwise_kernel");
    ert_strings_free(&strings);
}

static void names_of_kernels(void **state)
{
    static const struct {
        const char *full, *shorter;
    } rows[] = {
        {"void k<4>(float *, int)",                "k<4>"               },
        {"k(int) const",                           "k"                  },
        {"void (anonymous namespace)::k(int)",     "k"                  },
        {"void f<g<int(*)(float)>>(h, int (*)())", "f<g<int(*)(float)>>"},
        {"S::operator()",                          "S::operator()"      },
        {"S::operator()(int)",                     "S::operator()"      },
        {"gpp_29",                                 "gpp_29"             },
        {"(x)",                                    "(x)"                },
        {"))",                                     "))"                 },
        {"void ",                                  "void "              },
        {"",                                       ""                   },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = rfl_name_plain(rows[i].full);
        assert_string_equal(text, rows[i].shorter);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_short),
        cmocka_unit_test(names_of_kernels),
        cmocka_unit_test(cut_names_are_whole_characters),
        cmocka_unit_test(instances_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
