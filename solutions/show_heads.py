"""Given: show_heads(weights, tokens) shows at whom each token looks, head by head."""

import html
import json
import uuid

from IPython.display import HTML, display

HEADS_PAGE = """<style>
#HEADS_ID { background: white; color: #1d2330; padding: 8px; font: 15px sans-serif; }
#HEADS_ID p { margin: 4px 0; }
#HEADS_ID b { display: inline-block; width: 12em; font-size: 13px; }
#HEADS_ID span { display: inline-block; padding: 1px 5px; border-radius: 4px; }
#HEADS_ID b, #HEADS_ID span { vertical-align: top; }
#HEADS_ID span[data-i] { cursor: pointer; }
#HEADS_ID .key::after { content: attr(data-percent); display: block; font-size: 9px; }
</style><div id="HEADS_ID">LINES</div><script>(() => {
const heads = ROWS, root = document.getElementById("HEADS_ID");
const show = (asks) => {
  root.querySelectorAll(".query").forEach((token) => {
    token.style.background = token.dataset.i == asks ? "#fdae6b" : "";
  });
  root.querySelectorAll(".key").forEach((token) => {
    const percent = heads[token.dataset.head][asks][token.dataset.j];
    token.style.background = `rgba(8, 81, 156, ${percent / 100})`;
    token.style.color = percent > 50 ? "white" : "";
    token.dataset.percent = percent || "\\u00b7";
  });
};
root.onmouseover = root.onfocusin = (event) => {
  if (event.target.dataset.i) show(event.target.dataset.i);
};
show(heads[0].length - 1);
})()</script>"""


def show_heads(weights, tokens, keys=None, names=None):
    """Show attention weights as text: point at a token, and each head shows its row, in
    percent. (On a touch screen, tap on it; with a keyboard, use the tabulator.)

    weights: (h, n, m), from 0 to 1; heads of several layers may follow one another.
    tokens: the n tokens that look, a list of strings.
    keys: the m tokens that are looked at; without them, the same tokens.
    names: a name for each of the h heads; without them, head 0, head 1, and so on.

    For example show_heads(torch.eye(3).expand(2, 3, 3), ["the", "cat", "sat"]).
    """
    rows = (100 * weights).round().int().tolist()
    page = ""
    for n, name in enumerate(["who looks", *(names or range(len(rows)))]):
        label = f"head {name}" if isinstance(name, int) else html.escape(name)
        kind = f'class="key" data-head="{n - 1}"' if n else 'class="query" tabindex="0"'
        page += f"<p><b>{label}</b>"
        for i, word in enumerate(keys if keys and n else tokens):
            asks = "" if keys and n else f'data-i="{i}"'
            shown = html.escape({" ": "\u2423", "\n": "\u21b5"}.get(word, word))
            page += f'<span {kind} data-j="{i}" {asks}>{shown}</span>'
        page += "</p>"
    named = HEADS_PAGE.replace("HEADS_ID", f"heads-{uuid.uuid4()}")
    display(HTML(named.replace("ROWS", json.dumps(rows)).replace("LINES", page)))
