/* The scripts and styles of plot/page/ as bytes: a rule of analysis/local.mk writes the numbers. */
#include "analysis/plot/page_parts.h"

const unsigned char rfl_page_script[] = {
#include "analysis/plot/page_script.inc"
};

const unsigned char rfl_page_style[] = {
#include "analysis/plot/page_style.inc"
};

const size_t rfl_page_script_bytes = sizeof rfl_page_script;
const size_t rfl_page_style_bytes = sizeof rfl_page_style;
