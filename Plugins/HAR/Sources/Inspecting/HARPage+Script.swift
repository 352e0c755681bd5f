extension HARPage {
  /// Draws the table and the overview; only the rows in sight are elements.
  static let script = #"""
    'use strict';
    const data = JSON.parse(document.getElementById('data').textContent);
    const $ = id => document.getElementById(id);
    const phases = ['blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive'];
    const names = { blocked: 'queue', dns: 'lookup', connect: 'connect', ssl: 'TLS', send: 'send', wait: 'first byte',
      receive: 'transfer' };
    const all = data.entries, first = all.reduce((least, e) => e.t !== null && e.t < least ? e.t : least, Infinity);
    all.forEach((e, index) => {
      e.n = index + 1; e.o = e.t === null || first === Infinity ? 0 : e.t - first; e.d = e.d || 0; e.x = e.x || {};
      const parts = /^[^:]+:\/\/([^/?#]*)([^]*)$/.exec(e.u || '') || ['', '', e.u || ''];
      e.host = parts[1]; e.path = parts[2] || '/';
      e.failed = e.s === 0 || e.s >= 400 || !!e.e; e.again = e.x.next === 'retry' || e.x.next === 'resend' || e.x.attempt > 1;
      e.cached = !!e.x.source;
      e.found = [e.m, e.u, e.s, e.st, e.e || '', e.x.next || '', e.x.source || '', e.x.error ? e.x.error.kind : ''].join(' ').toLowerCase();
    });
    const whole = Math.max(1, all.reduce((most, e) => Math.max(most, e.o + e.d), 0));
    const columns = [['#', e => e.n], ['Method', e => e.m], ['Status', e => e.s], ['URL', e => e.host + e.path],
      ['Connection', e => e.c === null ? '' : String(e.c)], ['Size', e => bytesOf(e)], ['Time', e => e.d], ['Waterfall', e => e.o]];
    let sorting = 0, falling = false, shown = all, chosen = -1, nextDraw = 0;

    function bytesOf(e) { return Math.max(0, e.w === null ? 0 : e.w) || Math.max(0, e.z || 0); }
    function size(bytes) {
      if (bytes < 1000) return bytes + ' B';
      let unit = -1;
      do { bytes /= 1000; unit += 1; } while (bytes >= 1000 && unit < 3);
      return bytes.toFixed(bytes < 10 ? 1 : 0) + ' ' + 'kMGT'[unit] + 'B';
    }
    function time(ms) { return ms < 1 ? ms.toFixed(2) + ' ms' : ms < 1000 ? ms.toFixed(ms < 10 ? 1 : 0) + ' ms' : (ms / 1000).toFixed(2) + ' s'; }
    function make(name, options, ...children) {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(options || {})) {
        if (key === 'text') element.textContent = value; else element.setAttribute(key, value);
      }
      element.append(...children);
      return element;
    }
    function parts(e) {
      const list = []; let at = 0;
      phases.forEach((name, index) => {
        let length = e.p[index];
        // In a HAR, the handshake is a part of connecting.
        if (name === 'connect') length = Math.max(0, length - e.p[3]);
        if (length > 0) { list.push([name, at, length]); at += length; }
      });
      if (!list.length && e.d > 0) list.push(['wait', 0, e.d]);
      return list;
    }
    function statusClass(e) { return e.failed ? 'bad' : e.again ? 'warn' : e.cached ? 'quiet' : 'good'; }
    function rowOf(e, index) {
      const bars = make('div', { class: 'bars' });
      for (const [name, at, length] of parts(e)) {
        const bar = make('i', { title: names[name] + ' ' + time(length) });
        bar.style.left = (e.o + at) / whole * 100 + '%';
        bar.style.width = length / whole * 100 + '%';
        bar.style.background = 'var(--' + name + ')';
        bars.append(bar);
      }
      const cell = (text, kind) => make('div', { role: 'gridcell', class: kind || '', text });
      const note = e.cached ? ' · ' + e.x.source : e.x.next ? ' → ' + e.x.next : '';
      return make('div', { role: 'row', 'aria-rowindex': index + 2, 'aria-selected': index === chosen, 'data-index': index, title: e.u },
        cell(e.n, 'number quiet'), cell(e.m), cell(e.s || 'failed', statusClass(e)),
        make('div', { role: 'gridcell' }, make('span', { class: 'quiet', text: e.host }), e.path, make('span', { class: 'warn', text: note })),
        cell(e.c === null ? '' : e.c, 'quiet'), cell(size(bytesOf(e)), 'number'), cell(time(e.d), 'number'),
        make('div', { role: 'gridcell' }, bars));
    }
    const height = 22;
    function drawRows() {
      nextDraw = 0;
      const scroll = $('scroll'), from = Math.max(0, Math.floor(scroll.scrollTop / height) - 5);
      const to = Math.min(shown.length, from + Math.ceil(scroll.clientHeight / height) + 10);
      $('space').style.height = shown.length * height + 'px';
      $('rows').style.top = from * height + 'px';
      $('rows').replaceChildren(...shown.slice(from, to).map((e, index) => rowOf(e, from + index)));
    }
    function draw() { if (!nextDraw) nextDraw = requestAnimationFrame(drawRows); }
    function drawHead() {
      $('head').replaceChildren(...columns.map(([name], index) => {
        const sort = index === sorting ? (falling ? 'descending' : 'ascending') : 'none';
        const button = make('button', { type: 'button', text: name + (sort === 'none' ? '' : falling ? ' ▾' : ' ▴') });
        button.onclick = () => { falling = index === sorting ? !falling : false; sorting = index; drawHead(); choose(); };
        return make('div', { role: 'columnheader', 'aria-sort': sort }, button);
      }));
    }
    function choose() {
      const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean), kind = $('kind').value;
      const kept = chosen >= 0 ? shown[chosen] : null;
      const slow = kind === 'slow' ? all.map(e => e.d).sort((a, b) => b - a)[Math.floor(all.length / 10)] : 0;
      shown = all.filter(e => (kind === 'all' || kind === 'slow' ? e.d >= slow : e[kind]) && words.every(word => e.found.includes(word)));
      const key = columns[sorting][1];
      shown.sort((a, b) => { const x = key(a), y = key(b); return (x < y ? -1 : x > y ? 1 : a.n - b.n) * (falling ? -1 : 1); });
      chosen = kept ? shown.indexOf(kept) : -1;
      $('count').textContent = shown.length + ' of ' + all.length + ' requests';
      $('table').setAttribute('aria-rowcount', shown.length + 1);
      drawRows(); drawOverview();
    }
    function drawOverview() {
      const canvas = $('overview'), scale = window.devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
      canvas.width = canvas.clientWidth * scale; canvas.height = canvas.clientHeight * scale;
      const pen = canvas.getContext('2d'), lanes = new Map(), by = $('lanes').value;
      const colors = Object.fromEntries(phases.concat('bad').map(name => [name, style.getPropertyValue('--' + name).trim()]));
      for (const e of shown) {
        const lane = by === 'h' ? e.host : e.c === null ? (e.cached ? 'cache' : 'none') : e.host + ' ' + e.c;
        if (!lanes.has(lane)) lanes.set(lane, lanes.size);
        e.lane = lanes.get(lane);
      }
      const lane = canvas.height / Math.max(1, lanes.size), bar = Math.max(1, Math.min(lane * 0.8, 14 * scale));
      for (const e of shown) {
        const y = Math.floor(e.lane * lane);
        for (const [name, at, length] of parts(e)) {
          pen.fillStyle = colors[name];
          pen.fillRect((e.o + at) / whole * canvas.width, y, Math.max(scale, length / whole * canvas.width), bar);
        }
        if (!e.failed) continue;
        pen.fillStyle = colors.bad;
        pen.fillRect((e.o + e.d) / whole * canvas.width - scale, y, 3 * scale, bar);
      }
      canvas.setAttribute('aria-label', lanes.size + (by === 'h' ? ' hosts' : ' connections') + ' over ' + time(whole));
    }

    """#
}
