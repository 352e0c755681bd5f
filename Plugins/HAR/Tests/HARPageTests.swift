import CurlewCore
import CurlewHAR
import Foundation
import Testing

@Suite struct HARPageTests {
  private static let browser = ["chromium-headless-shell", "chromium", "google-chrome"].lazy.map { "/usr/bin/" + $0 }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Returns a HAR as another program could write it, with hostile text in each place.
  static func har(_ count: Int) -> Data {
    let entries = (0..<count).map { index in
      let status = index % 50 == 7 ? 0 : index % 20 == 3 ? 404 : 200
      let own =
        status == 0
        ? #""next":"retry","retryDelay":500,"error":{"kind":"connection-lost","stage":"awaiting-head"},"# : ""
      return """
        {"startedDateTime":"2026-11-27T02:\(10 + index / 6000 % 50):\(10 + index / 100 % 50).\(100 + index % 100 * 9)Z","time":\(1 + index % 90).5,
        "request":{"method":"\(index % 3 == 0 ? "POST" : "GET")","url":"https://host\(index % 4).example/</script><b>/\(index)?a=b",
        "httpVersion":"HTTP/1.1","headers":[{"name":"X-A","value":"</script><script>document.title='bad'</script>"}],"bodySize":0},
        "response":{"status":\(status),"statusText":"x","httpVersion":"HTTP/1.1","headers":[],"bodySize":\(index % 1000),
        "content":{"size":\(index % 1000),"mimeType":"text/html","text":"<img src=https://example.com/a.png onerror=alert(1)>"}\(status == 0 ? #","_error":"It was lost.""# : "")},
        "connection":"\(40000 + index % 8)","timings":{"blocked":0.5,"connect":\(index < 8 ? 20 : -1),"ssl":\(index < 8 ? 10 : -1),"send":0,"wait":\(index % 90),"receive":1},
        "_curlew":{\(own)"exchange":\(index + 1),"attempt":1,"hop":0}}
        """
    }
    return Data(
      #"{"log":{"version":"1.2","creator":{"name":"<i>","version":""},"entries":[\#(entries.joined(separator: ",\n"))]}}"#
        .utf8)
  }

  /// What the page's test finds, as lines in the element `result`.
  private static let probe = #"""
    <pre id="result"></pre><script>
    const drawn = performance.now();
    const lines = [], say = (name, value) => lines.push(name + '=' + value);
    window.addEventListener('error', event => say('error', event.message));
    document.addEventListener('securitypolicyviolation', event => say('violation', event.blockedURI));
    const key = name => document.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
    const input = (id, value, type) => { $(id).value = value; $(id).dispatchEvent(new Event(type)); };
    document.onkeydown({ key: 'x', target: document.body, preventDefault() {} });
    const press = name => document.onkeydown({ key: name, target: $('table'), preventDefault() {} });
    say('title', document.title); say('quick', drawn < 2000);
    say('rows', $('rows').children.length > 20 && $('rows').children.length < 60);
    say('count', $('count').textContent);
    const pixels = $('overview').getContext('2d').getImageData(0, 0, $('overview').width, $('overview').height).data;
    say('picture', pixels.some((value, index) => index % 4 === 3 && value > 0));
    $('head').children[6].querySelector('button').onclick(); $('head').children[6].querySelector('button').onclick();
    say('slowest', shown[0].d >= shown[1].d && shown[0].d === Math.max(...all.map(e => e.d)));
    say('sort', $('head').children[6].getAttribute('aria-sort'));
    input('filter', 'host1 connection-lost', 'input'); say('filtered', shown.every(e => e.host === 'host1.example' && e.s === 0) && shown.length > 0);
    input('filter', '', 'input'); input('kind', 'failed', 'change'); say('failed', shown.every(e => e.failed));
    press('j'); press('Enter'); say('details', !$('details').hidden && $('details').textContent.includes('curl '));
    say('why', $('details').textContent.includes('tried again after 500 ms') || shown[chosen].s !== 0);
    press('Escape'); say('closed', $('details').hidden);
    press('End'); say('last', chosen === shown.length - 1);
    function luminance(color) {
      const parts = color.match(/[\d.]+/g).slice(0, 3).map(value => value / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    }
    function contrast(a, b) { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); }
    function colors(names) {
      const test = document.createElement('i'); document.body.append(test);
      const found = Object.fromEntries(names.map(name => { test.style.color = 'var(--' + name + ')'; return [name, getComputedStyle(test).color]; }));
      test.remove(); return found;
    }
    for (const theme of ['light', 'dark']) {
      document.documentElement.dataset.theme = theme;
      const c = colors(['ground', 'raised', 'chosen', 'text', 'quiet', 'bad', 'warn', 'good', 'link', ...phases]);
      let least = 99, bars = 99;
      for (const ink of ['text', 'quiet', 'bad', 'warn', 'good', 'link']) for (const ground of ['ground', 'raised'])
        least = Math.min(least, contrast(c[ink], c[ground]));
      for (const ink of ['text', 'bad', 'warn', 'good']) least = Math.min(least, contrast(c[ink], c.chosen));
      for (const phase of phases) bars = Math.min(bars, contrast(c[phase], c.ground), contrast(c[phase], c.raised));
      say(theme, least >= 4.5 ? 'readable' : least); say(theme + ' bars', bars >= 3 ? 'visible' : bars);
    }
    say('requests', performance.getEntriesByType('resource').length);
    say('foreign', document.querySelectorAll('img, b, i:not(.swatch):not(.bars i), iframe').length);
    document.getElementById('result').textContent = lines.join('\n');
    </script>
    """#

  @Test(.enabled(if: browser != nil, "Chromium is not installed"))
  func `10,000 requests are drawn, sorted, filtered and readable in a browser, which requests nothing`() async throws {
    let folder = try TemporaryFolder()
    let page = HARPage(try HARDocument(Self.har(10_000)), title: "</title>&<b>").html
    let path = folder.path + "/page.html"
    try (page + Data(Self.probe.utf8)).write(to: URL(filePath: path))
    let result = try await Program.run(
      try #require(Self.browser),
      ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,800", "--dump-dom", "file://" + path],
      in: folder.path)
    let start = try #require(result.output.range(of: "<pre id=\"result\">", options: .backwards)?.upperBound)
    let lines = result.output[start...].prefix { $0 != "<" }.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "title=&lt;/title&gt;&amp;&lt;b&gt;", "quick=true", "rows=true", "count=10000 of 10000 requests",
        "picture=true",
        "slowest=true", "sort=descending", "filtered=true", "failed=true", "details=true", "why=true", "closed=true",
        "last=true",
        "light=readable", "light bars=visible", "dark=readable", "dark bars=visible", "requests=0", "foreign=0",
      ])
  }

  @Test func `a mark before or behind a bracket does not hide it from the escaping`() throws {
    let body = "x\u{600}</script>\u{301}<\u{301}b>"
    let har =
      #"{"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[{"request":{"method":"GET","#
      + #""url":"https://a.test/","headers":[]},"response":{"status":200,"headers":[],"content":{"size":9,"text":"\#(body)"}}}]}}"#
    let page = HARPage(try HARDocument(Data(har.utf8)), title: body).html
    func count(_ text: String) -> Int { page.ranges(of: Data(text.utf8)).count }
    // The page's own two scripts, and nothing of the text.
    #expect(count("</script>") == 2 && count("<b>") == 0 && count("<\u{301}") == 0)
    #expect(count("\\u003c/script>") > 0 && count("&lt;/script>") == 1)
  }

  @Test func `text of the archive is nowhere read as HTML`() throws {
    let text = String(decoding: HARPage(try HARDocument(Self.har(3)), title: "</title>&<b>").html, as: UTF8.self)
    #expect(!text.contains("<b>"))
    #expect(text.ranges(of: "</script>").count == 2)
    #expect(text.contains("<title>&lt;/title>&amp;&lt;b></title>"))
    #expect(text.contains("default-src 'none'"))
  }
}
