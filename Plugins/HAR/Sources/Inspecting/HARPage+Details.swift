extension HARPage {
  /// Shows the details of a request, and answers keys and the mouse.
  static let details = #"""
    function table(pairs) {
      return make('table', {}, ...pairs.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([name, value]) =>
        make('tr', {}, make('th', { scope: 'row', text: name }), make('td', { text: value }))));
    }
    function why(e) {
      const x = e.x, error = x.error ? x.error.kind + (x.error.stage ? ', ' + x.error.stage : '') : '';
      if (x.next === 'retry') return 'tried again after ' + time(x.retryDelay || 0) + (error ? ': ' + error : '');
      if (x.next === 'resend') return 'sent again at once, because that is safe' + (error ? ': ' + error : '');
      if (x.next === 'redirect') return 'a redirect was followed';
      if (x.next === 'challenge') return 'a challenge was answered';
      if (x.next === 'resumption') return 'resumed after a pause that had released the connection';
      return error;
    }
    function pauses(x) {
      return Array.isArray(x.pauses) ? x.pauses.map(([at, length]) => 'after ' + time(at) + ', ' + (length === null ? 'to the end' : 'for '
        + time(length))).join('; ') : '';
    }
    function showDetails() {
      const panel = $('details'), e = shown[chosen];
      panel.hidden = !e;
      if (!e) return draw();
      const x = e.x, copy = make('button', { type: 'button', text: 'Copy (c)' });
      copy.onclick = () => copyCommand(e);
      const bars = make('table', {}, ...parts(e).map(([name, at, length]) => {
        const bar = make('i', {});
        bar.style.cssText = 'left:' + at / Math.max(e.d, 0.001) * 100 + '%;width:' + length / Math.max(e.d, 0.001) * 100
          + '%;background:var(--' + name + ')';
        return make('tr', {}, make('th', { scope: 'row', text: names[name] }), make('td', { class: 'number', text: time(length) }),
          make('td', { style: 'width:60%' }, make('div', { class: 'bars' }, bar)));
      }));
      const content = (title, text) => text ? [make('h2', { text: title }), make('pre', { text })] : [];
      panel.replaceChildren(
        make('h2', { text: e.m + ' ' + e.u }),
        table([['status', e.s ? e.s + ' ' + e.st : 'no response'], ['error', e.e], ['what followed', why(e)],
          ['may have been processed', x.error && x.error.maybeProcessed ? 'yes' : ''],
          ['request', x.exchange ? x.exchange + ', attempt ' + x.attempt + ', hop ' + x.hop : ''],
          ['answer from', x.source], ['protocol', [e.v, x.tls].filter(Boolean).join(', ')], ['paused', pauses(x)], ['server', e.ip],
          ['connection', e.c === null ? '' : e.c + (x.reused === undefined ? '' : x.reused ? ', used again' : ', new')],
          ['began', e.t === null ? '' : new Date(e.t).toISOString() + ' (+' + time(e.o) + ')'],
          ['sent', e.up > 0 ? size(e.up) : ''], ['received', e.w >= 0 ? size(e.w) : ''], ['content', e.z > 0 ? size(e.z) : '']]),
        make('h2', { text: 'Phases, ' + time(e.d) + ' in all' }), bars,
        make('h2', { text: 'As a curl command ' }), copy, make('pre', { id: 'command', text: e.curl }),
        make('h2', { text: 'Request fields' }), table(e.q), ...content('Request content', e.qb),
        make('h2', { text: 'Response fields' }), table(e.r), ...content('Response content', e.rb));
      panel.scrollTop = 0;
      draw();
    }
    function copyCommand(e) {
      const range = document.createRange(), selection = getSelection();
      range.selectNodeContents($('command')); selection.removeAllRanges(); selection.addRange(range);
      if (navigator.clipboard) navigator.clipboard.writeText(e.curl).catch(() => {});
    }
    function select(index) {
      chosen = Math.max(0, Math.min(shown.length - 1, index));
      const scroll = $('scroll'), top = chosen * height;
      if (top < scroll.scrollTop) scroll.scrollTop = top;
      if (top + height > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + height - scroll.clientHeight;
      if ($('details').hidden) drawRows(); else showDetails();
    }
    function setTheme() {
      const root = document.documentElement, isDark = getComputedStyle(root).colorScheme === 'dark';
      root.dataset.theme = isDark ? 'light' : 'dark';
      drawOverview();
    }
    $('rows').onclick = event => {
      const row = event.target.closest('[role=row]');
      if (row) { chosen = Number(row.dataset.index); showDetails(); }
    };
    $('scroll').onscroll = draw;
    $('filter').oninput = choose;
    $('kind').onchange = choose;
    $('lanes').onchange = drawOverview;
    $('theme').onclick = setTheme;
    window.onresize = () => { drawRows(); drawOverview(); };
    document.onkeydown = event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const isTyping = event.target.matches('input, select');
      const page = Math.max(1, Math.floor($('scroll').clientHeight / height) - 1);
      const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 };
      if (event.key === 'Escape') { if (isTyping) $('table').focus(); else { $('details').hidden = true; draw(); } return; }
      if (isTyping) return;
      if (event.key in moves) select(chosen + moves[event.key]);
      else if (event.key === 'Enter' && !event.target.matches('button')) { if (chosen < 0) chosen = 0; showDetails(); }
      else if (event.key === '/') $('filter').focus();
      else if (event.key === 't') setTheme();
      else if (event.key === 'c' && shown[chosen] && !$('details').hidden) copyCommand(shown[chosen]);
      else return;
      event.preventDefault();
    };
    const failures = all.filter(e => e.failed).length, repeats = all.filter(e => e.again).length;
    $('title').textContent = data.title;
    $('summary').textContent = all.length + ' requests in ' + time(whole) + ', ' + size(all.reduce((sum, e) => sum + Math.max(0, e.w || 0), 0))
      + ' received, ' + failures + ' failed, ' + repeats + ' sent again' + (data.creator ? ' · recorded by ' + data.creator : '')
      + (data.complete ? '' : ' · the end of the file is missing');
    $('legend').append(...phases.map(name => {
      const swatch = make('i', { class: 'swatch' });
      swatch.style.background = 'var(--' + name + ')';
      return make('span', {}, swatch, names[name]);
    }));
    drawHead();
    choose();

    """#
}
