import CurlewCore
import CurlewHAR
import HTTPTypes

/// The command of `--as-curl`: the request's own, and the options of the run that curl has too.
struct CurlLine {
  /// The command for a shell.
  private(set) var text: String
  /// The options that curl has nothing for.
  private(set) var missing: [String] = []
  /// What curl does otherwise with an option that is in the command.
  private(set) var remarks: [String] = []

  /// Whether the command sends the request unchanged.
  private let isComplete: Bool

  init(_ command: CurlCommand) {
    text = command.text
    isComplete = command.isComplete
  }

  /// Adds an option of curl.
  mutating func add(_ option: String, _ value: String? = nil) {
    text += " " + option
    if let value { text += " " + Self.quoted(value) }
  }

  /// Adds an option of curl if the run has the one that it stands for.
  mutating func add(_ option: String, _ value: String? = nil, if isGiven: Bool) {
    if isGiven { add(option, value) }
  }

  /// Names an option of the run that is not in the command.
  mutating func leaveOut(_ option: String, if isGiven: Bool) {
    if isGiven { missing.append(option) }
  }

  /// Says what of the request is not in the command.
  fileprivate mutating func remarkOnHidden(isRedacted: Bool) {
    if isRedacted, text.contains(Redaction.mark) {
      remark("What is \(Redaction.mark) in the command is hidden; --show-secrets prints it.")
    } else if !isComplete {
      remark("The content is not in the command: it is too long, or read from standard input.")
    }
  }

  /// Adds a remark about the command.
  mutating func remark(_ text: String) { remarks.append(text) }

  /// Returns a word for a POSIX shell.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (0x30...0x39).contains(byte)
        || "-_./:".utf8.contains(byte)
    }
    guard !isPlain || word.isEmpty else { return word }
    // By bytes: behind a quote, a combining mark would make it a part of another character.
    let bytes = word.utf8.flatMap { $0 == UInt8(ascii: "'") ? Array(#"'\''"#.utf8) : [$0] }
    return "'" + String(decoding: bytes, as: UTF8.self) + "'"
  }
}

extension Get {
  /// Returns the command for curl of a fetch.
  func curlLine(of fetch: Fetch) -> CurlLine {
    var settings = ExchangeSettings()
    if case .fixed(let proxy) = connection.proxy { settings.proxy = proxy }
    var request = fetch.request
    // curl makes the field itself from --user.
    if credentials.settings.isSentAtOnce(in: request) { request.headerFields[.authorization] = nil }
    if !body.part.isEmpty {
      // curl makes the form itself, with a boundary of its own, and sends it with POST.
      request.body = .empty
      request.method = .get
      request.headerFields[.contentType] = nil
    }
    // Content that is typed here is shown here; what comes from files, and goes into a trace, is not.
    let showsContent = asCurl && !hasContentOfFiles && !body.data.contains { $0.fileReference != nil }
    var line = CurlLine(
      CurlCommand(request, in: Exchange(settings), redaction: recording.redaction, showsContent: showsContent))
    line.add("--request", fetch.request.method.rawValue, if: !body.part.isEmpty && fetch.request.method != .post)
    for part in body.part {
      let (option, value) = part.curlOption(hidesText: recording.redaction != nil && !showsContent)
      line.add(option, value)
    }
    line.add("--compressed", if: request.headerFields[.acceptEncoding] == nil)
    addTrust(to: &line)
    if let user = credentials.user?.credential, case .password(let name, let password) = user {
      if let scheme = credentials.scheme { line.add("--\(scheme.rawValue)") }
      line.add("--user", recording.redaction == nil ? "\(name):\(password)" : Redaction.mark)
    }
    if credentials.netrc {
      line.add("--netrc")
    } else if let file = credentials.netrcFile {
      line.add("--netrc-file", file.path)
    }
    if let text = scripting.writeOut?.given { line.add("--write-out", text) }
    if let file = output.dumpHeader { line.add(writesHead ? "--output" : "--dump-header", file) }
    line.add("--location", if: redirects.limit > 0)
    line.add("--max-redirs", String(redirects.limit), if: redirects.limit > 0)
    line.add("--retry", String(limits.retry), if: limits.retry > 0)
    if let idle = limits.idleTimeout {
      line.add("--speed-limit", "1")
      line.add("--speed-time", String(max(1, Int(idle.duration.inSeconds.rounded(.up)))))
    }
    if let size = limits.maxSize { line.add("--max-filesize", String(size.bytes)) }
    if let file = curl.cookieFile { line.add("--cookie", file) }
    if let jar = cookies.cookieJar {
      line.add("--cookie", jar)
      line.add("--cookie-jar", jar)
    }
    addOutput(of: fetch, to: &line)
    line.leaveOut(
      "--proxy env", if: connection.proxy.map { if case .environment = $0 { true } else { false } } ?? false)
    line.leaveOut("--transport", if: connection.transport != .named("curl"))
    line.leaveOut("--cache", if: caching.cache != nil)
    line.leaveOut("--har", if: recording.har != nil)
    line.leaveOut("--report", if: reporting.report != nil)
    line.leaveOut("--grace", if: schedule.grace != nil)
    line.remarkOnHidden(isRedacted: recording.redaction != nil)
    return line
  }

  private func addTrust(to line: inout CurlLine) {
    if let file = trust.cacert { line.add("--cacert", file) }
    if let file = trust.cert { line.add("--cert", file) }
    if let file = trust.key { line.add("--key", file) }
    line.add("--insecure", if: trust.insecure)
    line.leaveOut("--pin-certificate", if: !trust.pinCertificate.isEmpty)
    guard !trust.pin.isEmpty else { return }
    // curl separates a digest from its algorithm with two slashes.
    line.add(
      "--pinnedpubkey", trust.pin.map { "sha256//" + "\($0.pin)".dropFirst("sha256/".count) }.joined(separator: ";"))
    line.remark(
      "curl compares --pinnedpubkey with the server's own certificate only, and --pin with each of its chain.")
  }

  private func addOutput(of fetch: Fetch, to line: inout CurlLine) {
    if case .file(let path) = fetch.destination { line.add("--output", path) }
    if output.isStandardOutput { line.add("--output", "-") }
    if let directory = output.directory {
      line.add("--remote-name")
      line.add("--remote-header-name")
      line.add("--create-dirs")
      line.add("--output-dir", directory)
    }
    line.add("--continue-at", "-", if: resumes)
    line.add("--include", if: output.include)
    line.add(curl.fail || output.writesFiles ? "--fail" : "--fail-with-body")
    line.add("--verbose", if: reporting.trace)
    line.add("--silent", if: reporting.silent)
    line.add("--show-error", if: reporting.showError)
    line.leaveOut("--checksum", if: output.checksum != nil)
    line.leaveOut("--decode", if: output.decode != nil)
  }
}
