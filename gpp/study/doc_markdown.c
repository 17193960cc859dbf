#include "gpp/study/doc.h"

/* An empty line before each block, but not between the items of a list. */
static void begin_block(struct gpp_doc *doc)
{
    fputc('\n', doc->out);
    doc->in_list = false;
}

static void begin(struct gpp_doc *doc, const char *title)
{
    fprintf(doc->out, "# %s\n", title);
}

static void heading(struct gpp_doc *doc, const char *text)
{
    begin_block(doc);
    fprintf(doc->out, "## %s\n", text);
}

static void subheading(struct gpp_doc *doc, const char *text)
{
    begin_block(doc);
    fprintf(doc->out, "### %s\n", text);
}

static void paragraph(struct gpp_doc *doc, const char *text)
{
    begin_block(doc);
    fprintf(doc->out, "%s\n", text);
}

static void item(struct gpp_doc *doc, const char *text)
{
    if (!doc->in_list)
        begin_block(doc);
    doc->in_list = true;
    fprintf(doc->out, "- %s\n", text);
}

static enum ert_status table(struct gpp_doc *doc, const struct rfl_table *table_,
                             struct ert_error *error)
{
    begin_block(doc);
    return rfl_table_write(table_, RFL_TABLE_MARKDOWN, doc->out, error);
}

static enum ert_status picture(struct gpp_doc *doc, const char *file, const char *title,
                               struct ert_error *error)
{
    (void)error;
    begin_block(doc);
    fprintf(doc->out, "![%s](%s)\n", title, file);
    return ERT_OK;
}

static void end(struct gpp_doc *doc)
{
    (void)doc;
}

const struct gpp_doc_format gpp_doc_markdown = {
    begin, heading, subheading, paragraph, item, table, picture, end,
};
