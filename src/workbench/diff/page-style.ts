/** The style of the page: the system's fonts, light or dark as the reader prefers. Words and numbers have a contrast of 4.5:1. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --panel: #f6f7f9; --line: #dde1e7; --text: #1b1f27; --quiet: #586174;
  --breaking: #b3202a; --breaking-back: #fdecec; --risky: #8a5a00; --risky-back: #fdf3dc;
  --accepted: #2456a6; --accepted-back: #e8f0fd; --safe: #1c6b36; --safe-back: #e5f5ea;
  --gone: #ffebe9; --gone-word: #ffc4c0; --new: #e3f7e7; --new-word: #a6e3b3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #11141a; --panel: #1a1e27; --line: #2e3441; --text: #e6e9ef; --quiet: #9aa4b5;
    --breaking: #ff8d8d; --breaking-back: #3b171b; --risky: #f0c060; --risky-back: #362a10;
    --accepted: #93bdf8; --accepted-back: #17284a; --safe: #74d391; --safe-back: #14301f;
    --gone: #3a181b; --gone-word: #7c2a2f; --new: #14301f; --new-word: #236338;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 12px; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 1240px; padding: 28px 28px 72px; background: var(--back); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 27px; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 44px 0 2px; font-size: 20px; }
h3 { margin: 0; font-size: 16px; line-height: 1.45; font-weight: 600; }
h4 { margin: 0; font-size: 12px; font-weight: 600; color: var(--quiet); }
p { margin: 2px 0 12px; }
section > p, .from, .meta, dt, summary, .count { color: var(--quiet); }
a { color: inherit; text-underline-offset: 3px; text-decoration-color: var(--line); }
a:hover { text-decoration-color: currentColor; }
code, pre, .request { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 0.9em; }
h3 code { font-size: 0.94em; padding: 1px 5px; border-radius: 5px; background: var(--panel); }
pre { margin: 0 0 8px; padding: 12px 16px; overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
small { font-size: 12px; }
del, ins { text-decoration: none; border-radius: 3px; }
.from b { font-weight: 600; color: var(--text); }
.verdict { margin: 8px 0 0; padding: 18px 22px; border-radius: 12px; border: 1px solid var(--line); border-left: 6px solid var(--quiet); background: var(--panel); }
.verdict p { margin: 4px 0 0; }
.verdict.breaking { border-color: var(--breaking); background: var(--breaking-back); }
.verdict.risky { border-color: var(--risky); background: var(--risky-back); }
.verdict.accepted { border-color: var(--accepted); background: var(--accepted-back); }
.verdict.safe { border-color: var(--safe); background: var(--safe-back); }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin: 14px 0 0; padding: 0; list-style: none; }
.tiles a { display: block; padding: 6px 14px; border: 1px solid var(--line); border-radius: 999px; background: var(--panel); text-decoration: none; }
.tiles a:hover { border-color: currentColor; }
.tiles strong { font-size: 16px; margin-right: 2px; }
.breaking > a, .breaking > h2 .sign, .change.breaking h3 .sign, td.breaking { color: var(--breaking); }
.risky > a, .risky > h2 .sign, .change.risky h3 .sign, td.risky { color: var(--risky); }
.accepted > a, .accepted > h2 .sign, .change.accepted h3 .sign, td.accepted { color: var(--accepted); }
.safe > a, .safe > h2 .sign, .change.safe h3 .sign, td.safe { color: var(--safe); }
.count { font-weight: 400; }
.change { margin: 14px 0; padding: 14px 18px 16px; border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 10px; }
.change:target { outline: 2px solid var(--accepted); }
.change.breaking { border-left-color: var(--breaking); }
.change.risky { border-left-color: var(--risky); }
.change.accepted { border-left-color: var(--accepted); }
.change.safe { border-left-color: var(--safe); }
details.change { margin: 8px 0; padding: 6px 16px; }
details.change > summary { padding: 2px 0; color: var(--text); }
details.change > summary h3 { display: inline; font-size: 15px; }
details.change > summary .meta { margin: 0 0 0 20px; }
details.change[open] { padding-bottom: 14px; }
.meta { margin: 4px 0 8px; font-size: 13.5px; display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: baseline; }
.side { font-size: 11.5px; font-weight: 600; padding: 0 7px; border: 1px solid var(--line); border-radius: 5px; line-height: 18px; }
.requests { display: flex; flex-wrap: wrap; gap: 4px 8px; margin: 0 0 10px; padding: 0; list-style: none; color: var(--quiet); font-size: 13.5px; }
.requests .request { background: var(--panel); color: var(--text); padding: 1px 8px; border-radius: 5px; }
.request b { font-weight: 700; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 12px 0 0; font-size: 14px; }
dd { margin: 0; }
summary { cursor: pointer; padding: 6px 0 2px; font-size: 14px; }
details[open] > summary { padding-bottom: 8px; }
details > dl { margin-top: 2px; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; overflow-wrap: normal; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-variant-numeric: tabular-nums; }
.counts th, .counts td, .matrix th, .matrix td { padding: 6px 14px; border-top: 1px solid var(--line); text-align: left; font-weight: 400; vertical-align: top; }
.counts tr:first-child > *, .matrix thead th { border-top: 0; }
.counts thead th, .matrix thead th { color: var(--quiet); font-size: 13px; background: var(--panel); }
.counts tbody tr:first-child > *, .matrix tbody tr:first-child > * { border-top: 1px solid var(--line); }
.counts td, .counts thead th:not(:first-child) { width: 96px; text-align: right; }
.counts td { font-weight: 600; }
td.none { color: var(--quiet); font-weight: 400; }
.matrix td { white-space: nowrap; min-width: 96px; }
.matrix .lost { background: var(--gone); }
.matrix .gained { background: var(--risky-back); }
.matrix .other { background: var(--accepted-back); }
.matrix del { color: var(--quiet); text-decoration: line-through; }
.matrix ins { font-weight: 700; }
.matrix .lost small { color: var(--breaking); font-weight: 600; }
.matrix .gained small { color: var(--risky); font-weight: 600; }
.matrix th small { color: var(--quiet); }
.matrix .request { color: var(--quiet); }
.excerpt { table-layout: fixed; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; font-size: 13px; }
.excerpt th { padding: 4px 12px; text-align: left; font-size: 12px; font-weight: 600; color: var(--quiet); background: var(--panel); border-bottom: 1px solid var(--line); }
.excerpt th span { font-weight: 400; margin-left: 6px; }
.excerpt th:nth-child(2), .excerpt td.number.after, .excerpt td.number.none:nth-child(3) { border-left: 1px solid var(--line); }
.excerpt td { padding: 0 10px; vertical-align: top; line-height: 20px; }
.excerpt td code { white-space: pre-wrap; font-size: 12.5px; }
.excerpt .numbers { width: 52px; }
.excerpt .number { padding: 0 8px; text-align: right; color: var(--quiet); font: 11.5px/20px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; user-select: none; }
.excerpt.alone .number { border-left: 0; }
.excerpt .before.changed { background: var(--gone); }
.excerpt .after.changed { background: var(--new); }
.excerpt .none { background: var(--panel); }
.excerpt .same code { color: var(--quiet); }
.excerpt del, .texts del { background: var(--gone-word); }
.excerpt ins, .texts ins { background: var(--new-word); }
.gap td { color: var(--quiet); background: var(--panel); font-size: 12px; text-align: center; }
.texts { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; }
.texts p { margin: 2px 0 0; white-space: pre-wrap; font-size: 14px; }
.texts em { color: var(--quiet); }
@media (max-width: 760px) {
  body { padding: 18px 14px 48px; }
  h1 { font-size: 22px; }
  .verdict { padding: 14px 16px; }
  .change { padding: 12px 12px 14px; }
  .texts { grid-template-columns: 1fr; gap: 10px; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 8px; }
  .counts th, .counts td, .matrix th, .matrix td { padding: 6px 9px; }
  .counts td, .counts thead th:not(:first-child) { width: auto; }
  .counts tbody th { overflow-wrap: anywhere; }
  .matrix td { min-width: 0; }
  .excerpt, .excerpt thead, .excerpt tbody { display: block; }
  .excerpt colgroup { display: none; }
  .excerpt thead tr, .excerpt tbody tr { display: grid; grid-template-columns: 44px 1fr; }
  .excerpt th { grid-column: 1 / -1; border-left: 0 !important; }
  .excerpt .same .before, .excerpt td.none { display: none; }
  .excerpt .number { width: auto; border-left: 0 !important; }
  .gap td { grid-column: 1 / -1; }
}
@media print { .change, .verdict { break-inside: avoid; } }
`;
