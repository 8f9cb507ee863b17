"""The style sheet of a report: light and dark, wide and narrow."""

CSS = """\
:root {
  color-scheme: light dark;
  --back: #ffffff; --card: #f6f7f9; --ink: #1c2126; --soft: #5a6470; --line: #d5dae0;
  --s0: #0072b2; --s1: #c14f00; --s2: #00795a; --s3: #a8508b; --s4: #8a6100; --s5: #555555; --s6: #6247c4;
  --lost: #c0261c; --off: #9a6700;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171a; --card: #1d2226; --ink: #e6e9ec; --soft: #a3adb8; --line: #3a424a;
    --s0: #56b4e9; --s1: #ff8c42; --s2: #2fc79a; --s3: #e08cc4; --s4: #e6b800; --s5: #c4c4c4; --s6: #b09cff;
    --lost: #ff8177; --off: #e3b341;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
main { max-width: 1120px; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: .95rem; margin: 0 0 .5rem; }
p { margin: .5rem 0; max-width: 75ch; overflow-wrap: anywhere; }
p.soft, figcaption, .soft { color: var(--soft); }
figcaption { font-size: .85rem; }
p.verdict { font-size: 1.1rem; margin: 1rem 0 .5rem; }
ul.verdict { margin: .5rem 0; padding-left: 1.2rem; max-width: 75ch; overflow-wrap: anywhere; }
.grid-of { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 245px), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .9rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; min-width: 0; }
.views { display: grid; gap: 1rem; margin-top: 1rem; }
.views figure { max-width: 100%; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
thead th { color: var(--soft); vertical-align: bottom; }
th[scope=row], thead th:first-child { text-align: left; position: sticky; left: 0; background: var(--back); }
th[scope=rowgroup] { text-align: left; padding-top: 1rem; }
td small { color: var(--soft); display: block; }
th[scope=row] { white-space: normal; min-width: 7rem; max-width: 18rem; overflow-wrap: anywhere; }
@media (max-width: 600px) { th, td { padding: .3rem .5rem; } th[scope=row] { max-width: 9rem; } }
sup { color: var(--soft); line-height: 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: .5rem 0; }
svg.key { width: 16px; height: 16px; vertical-align: -3px; margin-right: .3rem; }
table.texts td:nth-child(n+3), table.texts th:nth-child(n+3) { text-align: left; white-space: normal; }
table.texts td:last-child { min-width: 16rem; }
details { border-top: 1px solid var(--line); padding: .6rem 0; }
.grid-of + details, figure + details { border: 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
details pre { overflow-x: auto; }
code { font-size: .8rem; overflow-wrap: anywhere; }
svg.chart { display: block; overflow: visible; }
svg.chart text { fill: var(--ink); font-size: 13px; }
svg.chart text.small { fill: var(--soft); font-size: 11px; }
svg.chart .number { font-variant-numeric: tabular-nums; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.grid { stroke: var(--line); stroke-width: 1; }
.span { stroke: var(--soft); stroke-width: 2; opacity: .5; }
.bar { stroke-width: 4; opacity: .55; }
.thin { stroke-width: 2; }
.dot { stroke: var(--card); stroke-width: 1; fill-opacity: .85; }
""" + "".join(
    f".s{i} {{ stroke: var(--s{i}); }} .s{i}.dot, .s{i}.fill {{ fill: var(--s{i}); }}"
    f" .s{i}.dot {{ stroke: var(--card); }} .s{i}.fill {{ stroke: none; }}\n"
    for i in range(7)
)
