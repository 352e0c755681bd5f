extension HARPage {
  /// The page's elements; the script fills them.
  static let body = #"""
    <header>
      <h1 id="title"></h1><p id="summary"></p>
      <div class="controls">
        <label>Filter <input id="filter" type="search" placeholder="host, path, status, error" autocomplete="off"></label>
        <label>Show <select id="kind">
          <option value="all">all</option><option value="failed">failed</option><option value="again">sent again</option>
          <option value="cached">from a cache</option><option value="slow">slowest tenth</option>
        </select></label>
        <label>Lanes <select id="lanes"><option value="c">by connection</option><option value="h">by host</option></select></label>
        <button id="theme" type="button">Theme (t)</button>
        <span id="count" role="status"></span>
      </div>
    </header>
    <figure><canvas id="overview" role="img" tabindex="-1"></canvas>
      <figcaption id="legend"></figcaption></figure>
    <main>
      <section id="table" role="grid" tabindex="0" aria-label="Requests" aria-readonly="true">
        <div id="head" role="row"></div>
        <div id="scroll"><div id="space"><div id="rows"></div></div></div>
      </section>
      <aside id="details" hidden aria-label="Details of the request"></aside>
    </main>
    <footer>↑ ↓ or j k: choose · Enter: details · Esc: close · / filter · c: copy the curl command · t: dark or light ·
      a column's head sorts by it</footer>

    """#

  /// Every pair of text and ground has a contrast of 4.5 or more (WCAG 2.2 §1.4.3).
  static let style = #"""
    :root { color-scheme: light; --ground: #ffffff; --raised: #f2f4f6; --line: #c9ced4; --text: #16191d; --quiet: #505a64;
      --chosen: #d4e5fb; --bad: #a3160c; --warn: #7a4b00; --good: #0b5c2c; --link: #0a50a8;
      --blocked: #757d86; --dns: #0b7f7f; --connect: #b3620b; --ssl: #8a3fb0; --send: #4a6a10; --wait: #2f7d32; --receive: #1f6fd0; }
    @media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { color-scheme: dark; --ground: #14171a; --raised: #1f2429;
      --line: #3c444d; --text: #e8ebee; --quiet: #a9b3bd; --chosen: #1d3a5f; --bad: #ff9c90; --warn: #f2c063; --good: #7fd79b;
      --link: #8fc1ff; --blocked: #7d8791; --dns: #35b8b8; --connect: #e59a43; --ssl: #c98be6; --send: #a5c756; --wait: #66bb6a;
      --receive: #5ea4f5; } }
    :root[data-theme=dark] { color-scheme: dark; --ground: #14171a; --raised: #1f2429;
      --line: #3c444d; --text: #e8ebee; --quiet: #a9b3bd; --chosen: #1d3a5f; --bad: #ff9c90; --warn: #f2c063; --good: #7fd79b;
      --link: #8fc1ff; --blocked: #7d8791; --dns: #35b8b8; --connect: #e59a43; --ssl: #c98be6; --send: #a5c756; --wait: #66bb6a;
      --receive: #5ea4f5; }
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body { display: flex; flex-direction: column; background: var(--ground); color: var(--text); font: 13px/1.4 system-ui, sans-serif; }
    header { padding: 8px 12px; display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; }
    h1 { font-size: 16px; margin: 0; } h2 { font-size: 13px; margin: 12px 0 4px; }
    #summary { margin: 0; color: var(--quiet); flex: 1; }
    .controls { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; width: 100%; }
    input, select, button { font: inherit; color: var(--text); background: var(--raised); border: 1px solid var(--quiet);
      border-radius: 4px; padding: 2px 6px; }
    input { width: 22em; max-width: 50vw; } :focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
    figure { margin: 0 12px 4px; } canvas { width: 100%; height: 120px; display: block; background: var(--raised); }
    figcaption { color: var(--quiet); display: flex; flex-wrap: wrap; gap: 2px 12px; padding-top: 2px; }
    .swatch { display: inline-block; width: 10px; height: 10px; margin-right: 4px; }
    main { flex: 1; min-height: 0; display: flex; border-top: 1px solid var(--line); }
    #table { flex: 1; min-width: 0; display: flex; flex-direction: column; }
    #scroll { flex: 1; overflow-y: scroll; } #space { position: relative; } #rows { position: absolute; left: 0; right: 0; }
    [role=row] { display: grid; grid-template-columns: 4em 5em 4.5em minmax(12em, 3fr) 7em 6em 6em minmax(10em, 4fr);
      align-items: center; }
    #rows [role=row] { height: 22px; border-bottom: 1px solid var(--line); cursor: default; }
    #head { background: var(--raised); padding-right: 15px; }
    #head button { border: 0; border-radius: 0; text-align: left; background: none; width: 100%; overflow: hidden; }
    [role=gridcell] { padding: 0 6px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
    .number { text-align: right; font-variant-numeric: tabular-nums; }
    .bad { color: var(--bad); } .warn { color: var(--warn); } .good { color: var(--good); } .quiet { color: var(--quiet); }
    #rows [aria-selected=true] { background: var(--chosen); }
    #rows [aria-selected=true] .quiet { color: var(--text); }
    .bars { position: relative; height: 12px; } .bars i { position: absolute; top: 0; height: 12px; min-width: 1px; }
    #details { width: 46%; overflow: auto; padding: 4px 12px 24px; border-left: 1px solid var(--line); }
    #details table { border-collapse: collapse; width: 100%; } #details td, #details th { padding: 1px 8px 1px 0; text-align: left;
      vertical-align: top; overflow-wrap: anywhere; } #details th { font-weight: 600; color: var(--quiet); width: 11em; }
    pre { background: var(--raised); padding: 8px; margin: 4px 0; white-space: pre-wrap; overflow-wrap: anywhere; }
    footer { color: var(--quiet); padding: 3px 12px; border-top: 1px solid var(--line); }

    """#
}
