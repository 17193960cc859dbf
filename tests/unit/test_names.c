/* names: what labels make of kernels' names. */
#include "tests/unit/test.h"

#include "analysis/strings.h"

static void names_are_short(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"gpp",                                                "gpp"              },
        {"void f<4, float>(int, ns::g<3>)",                    "f"                },
        {"void at::native::add<std::array<char*, 3ul> >(int)", "add"              },
        {"void f<bar<int>, (baz)3>(double*) [clone .kd]",      "f"                },
        {"(anonymous namespace)::foo(int) const",              "foo"              },
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
        char text[40];
        rfl_name_short(rows[i][0], text, sizeof text);
        assert_string_equal(text, rows[i][1]);
    }
}

static void instances_keep_their_arguments(void **state)
{
    (void)state;
    char text[40];
    rfl_name_instance("void ns::f<4, ns::g>(int)", text, sizeof text);
    assert_string_equal(text, "f<4, ns::g>");
}

static void cut_names_are_whole_characters(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_short),
        cmocka_unit_test(instances_keep_their_arguments),
        cmocka_unit_test(cut_names_are_whole_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
