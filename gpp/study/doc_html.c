#include "gpp/study/doc.h"

#include "ert/base/file.h"

#include <stdlib.h>
#include <string.h>

/* Nothing is fetched or run; https://www.w3.org/TR/CSP3/ */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"generator\" content=\"ert-gpp study\">\n<title>";

static const char style[] =
    "body{margin:0 auto;padding:28px 24px "
    "60px;max-width:1440px;color:#1a1a1a;background:#fff;"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Helvetica,Arial,sans-serif}\n"
    "h1{font-size:25px;margin:0 0 12px}h2{font-size:19px;margin:40px 0 "
    "10px;padding-top:14px;"
    "border-top:1px solid #d4d8dc}h3{font-size:16px;margin:26px 0 4px}\n"
    "p{margin:8px 0;max-width:90ch}ul{margin:6px 0;padding-left:20px;max-width:105ch}"
    "li{margin:2px 0}\n"
    ".wide{overflow-x:auto;margin:12px 0}table{border-collapse:collapse;font-size:12.5px;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "th,td{padding:4px 7px;border-bottom:1px solid #dfe2e5;text-align:left}"
    "th{border-bottom:2px solid #5a5f66;vertical-align:bottom;white-space:normal}"
    "td.n,th.n{text-align:right}tbody tr:hover{background:#f6f7f8}\n"
    "figure{margin:18px 0}figure svg{max-width:100%;height:auto}"
    "figcaption{color:#5a5f66;font-size:13px}\n";

static void text_of(FILE *out, const char *text)
{
    static const char special[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at)
            fputs(names[at - special], out);
        else
            fputc(*text, out);
    }
}

static void element(struct gpp_doc *doc, const char *name, const char *text)
{
    if (doc->in_list && strcmp(name, "li") != 0) {
        fputs("</ul>\n", doc->out);
        doc->in_list = false;
    }
    if (!text)
        return;
    fprintf(doc->out, "<%s>", name);
    text_of(doc->out, text);
    fprintf(doc->out, "</%s>\n", name);
}

static void begin(struct gpp_doc *doc, const char *title)
{
    fputs(head, doc->out);
    text_of(doc->out, title);
    fprintf(doc->out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
    element(doc, "h1", title);
}

static void heading(struct gpp_doc *doc, const char *text)
{
    element(doc, "h2", text);
}

static void subheading(struct gpp_doc *doc, const char *text)
{
    element(doc, "h3", text);
}

static void paragraph(struct gpp_doc *doc, const char *text)
{
    element(doc, "p", text);
}

static void item(struct gpp_doc *doc, const char *text)
{
    if (!doc->in_list)
        fputs("<ul>\n", doc->out);
    doc->in_list = true;
    element(doc, "li", text);
}

static void cell(FILE *out, const char *name, bool is_number, const char *text)
{
    fprintf(out, "<%s%s>", name, is_number ? " class=\"n\"" : "");
    text_of(out, text);
    fprintf(out, "</%s>", name);
}

static enum ert_status table(struct gpp_doc *doc, const struct rfl_table *rows,
                             struct ert_error *error)
{
    FILE *out = doc->out;
    if (rows->failed)
        return ert_fail(error, ERT_FAILED, "no memory for a table");
    element(doc, "", NULL);
    fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
    for (size_t c = 0; c < rows->n_columns; c++)
        cell(out, "th", rows->right[c], rows->headers[c]);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < rows->n_cells; i++) {
        const size_t column = i % rows->n_columns;
        if (column == 0)
            fputs("<tr>", out);
        cell(out, "td", rows->right[column], rows->cells[i]);
        if (column + 1 == rows->n_columns)
            fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    return ERT_OK;
}

/* The file without what may stand only at a file's beginning. */
static enum ert_status picture(struct gpp_doc *doc, const char *file, const char *title,
                               struct ert_error *error)
{
    char path[1200], *svg = NULL;
    size_t size;
    element(doc, "", NULL);
    snprintf(path, sizeof path, "%s/%s", doc->folder, file);
    ERT_TRY(ert_file_read(path, (size_t)16 << 20, &svg, &size, error));
    const char *begin_ = strstr(svg, "<svg");
    fputs("<figure>\n", doc->out);
    fputs(begin_ ? begin_ : "", doc->out);
    free(svg);
    element(doc, "figcaption", title);
    fputs("</figure>\n", doc->out);
    return ERT_OK;
}

static void end(struct gpp_doc *doc)
{
    element(doc, "", NULL);
    fputs("</body>\n</html>\n", doc->out);
}

const struct gpp_doc_format gpp_doc_html = {
    begin, heading, subheading, paragraph, item, table, picture, end,
};
