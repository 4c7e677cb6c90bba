/** The style of the page: the system's fonts, light or dark as the reader prefers. Words and numbers have a contrast of 4.5:1. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --panel: #f5f6f8; --line: #dfe2e8; --text: #1b1f27; --quiet: #5a6372;
  --seen-1: #d7f2dd; --seen-2: #a9e2b7; --seen-3: #72cb8b; --seen-4: #43b069; --on-seen: #07240f;
  --shared: #d6e6fb; --on-shared: #123a70; --excepted: #f7e7b4; --on-excepted: #5a4300;
  --missing: #c62a2f; --on-missing: #ffffff; --open: #b3262b; --bar: #2f9152; --bar-shared: #5b93dd; --bar-excepted: #d3a520;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #12151b; --panel: #1b1f28; --line: #2d3340; --text: #e7eaf0; --quiet: #9aa4b5;
    --seen-1: #17352a; --seen-2: #1c4d38; --seen-3: #216847; --seen-4: #267a52; --on-seen: #e3f8ea;
    --shared: #1d3350; --on-shared: #bcd8fb; --excepted: #453a15; --on-excepted: #f3dd94;
    --missing: #d13438; --on-missing: #ffffff; --open: #ff8a8c; --bar: #46b271; --bar-shared: #5f9ae6; --bar-excepted: #cfa936;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1480px; padding: 32px 28px 64px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
h1 { margin: 0; font-size: 28px; letter-spacing: -0.01em; }
h2 { margin: 44px 0 4px; font-size: 19px; }
p { margin: 4px 0 16px; color: var(--quiet); max-width: 80ch; }
code, .map, .chip { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(230px, 1fr)); gap: 14px; padding: 0; margin: 24px 0 0; list-style: none; }
.cards li { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px 16px; }
.cards strong { display: block; font-size: 30px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.cards span { color: var(--quiet); }
.bar { display: flex; height: 8px; margin-top: 10px; border-radius: 4px; overflow: hidden; background: var(--missing); }
.bar i { background: var(--bar); }
.bar .shared { background: var(--bar-shared); }
.bar .excepted { background: var(--bar-excepted); }
.legend { display: flex; flex-wrap: wrap; gap: 8px 18px; margin: 10px 0 14px; padding: 0; list-style: none; color: var(--quiet); font-size: 13px; }
.legend b { display: inline-block; min-width: 26px; margin-right: 6px; padding: 0 5px; border-radius: 4px; text-align: center; font: 12px/20px ui-monospace, monospace; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: separate; border-spacing: 0; font-size: 13px; font-variant-numeric: tabular-nums; }
.map { border-spacing: 2px; font-size: 12px; padding: 8px; width: 100%; }
.map th { font-weight: 500; }
.map thead th { color: var(--quiet); text-align: center; padding: 1px 4px; }
.map thead tr:last-child th:first-child { text-align: left; }
.map thead .group { border-bottom: 2px solid var(--line); font-family: system-ui, sans-serif; }
.map tbody th { position: sticky; left: 0; background: var(--back); text-align: left; padding: 0 12px 0 4px; white-space: nowrap; }
.map td { min-width: 34px; height: 26px; padding: 0 3px; border-radius: 4px; text-align: center; color: var(--quiet); }
.map .part { text-align: right; white-space: nowrap; padding: 0 6px; }
.map .none { opacity: 0.35; }
.s1 { background: var(--seen-1); } .s2 { background: var(--seen-2); } .s3 { background: var(--seen-3); } .s4 { background: var(--seen-4); }
.map .seen, .chip.seen, .legend .seen { color: var(--on-seen); }
.map .shared, .chip.shared, .legend .shared { background: var(--shared); color: var(--on-shared); }
.map .excepted, .chip.excepted, .legend .excepted { background: var(--excepted); color: var(--on-excepted); }
.map .missing, .chip.missing, .legend .missing { background: var(--missing); color: var(--on-missing); font-weight: 700; }
.types th, .types td, .list th, .list td, .totals th, .totals td { padding: 8px 12px; border-top: 1px solid var(--line); vertical-align: top; text-align: left; }
.list th, .list td { padding: 4px 12px; }
.types tr:first-child > *, .list tr:first-child > *, .totals thead th { border-top: 0; }
.types, .list, .totals { width: 100%; }
.types th, .list th, .totals th { font-weight: 500; white-space: nowrap; }
.totals td, .totals thead th:not(:first-child) { text-align: right; }
.totals td:last-child { width: 30%; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0; list-style: none; }
.chip { display: inline-block; padding: 1px 7px; border-radius: 5px; font-size: 12px; line-height: 20px; }
.chip small { font-size: 11px; }
.chip.open { background: none; color: var(--open); outline: 1px solid currentColor; outline-offset: -1px; font-weight: 400; }
.list code { font-size: 12px; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
a { color: inherit; }
`;
