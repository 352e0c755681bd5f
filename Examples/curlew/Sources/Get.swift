import ArgumentParser
import CurlewCore
import CurlewHAR
import CurlewJSON
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Synchronization

/// The command `curlew get`.
struct Get: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fetches one or more URLs.",
    discussion: """
      Behind a single URL there may be items, as in HTTPie: name=Ada and age:=3 are members of a JSON object, or fields of a form after \
      --form; X-Token:abc is a header field, q==curlew a part of the query, photo@bird.jpg a file of a form and @bird.jpg the whole body. \
      A field makes the method POST unless one stands before the URL. name=@FILE and name:=@FILE read the value from a file; a \
      backslash before a separator makes it a part of the name.

      Without -o and -O the bodies go to standard output, whole and in the order of the URLs. A status of 400 or above is a \
      failure: the body is still printed, and never written to a file. On a terminal, JSON is indented and colored (without \
      colors if NO_COLOR is set); -o - prints it as it came.

      EXAMPLES
        curlew get https://example.com/
        curlew get POST https://example.com/birds name=curlew age:=3 X-Token:abc
        curlew get -o swift.tar.gz --timeout 60 https://example.com/swift.tar.gz
        curlew get -O photos --grace 20 \\
          https://example.com/1.jpg https://example.com/2.jpg
        curlew get --resume --retry 5 --checksum sha-256:… -o swift.tar.gz \\
          https://example.com/swift.tar.gz
        curlew get -O photos --parallel 8 --report log.jsonl \\
          https://example.com/1.jpg https://example.com/2.jpg
        curlew get --cookie-jar birds.txt --max-redirects 3 https://example.com/login
        curlew get --retry 3 -o photo.jpg https://example.com/photo.jpg
        curlew get --decode auto https://example.com/birds.plist
        curlew get --part name=curlew --part 'photo=@bird.jpg;type=image/jpeg' \\
          https://example.com/birds
        curlew get --cacert company.pem --cert me.pem --key me.key \\
          https://intranet.example/
        curlew get --pin sha256/… --pin sha256/… https://example.com/
        curlew get --cache ~/.cache/birds https://example.com/birds
        curlew get --har requests.har https://example.com/birds
        curlew get --as-curl --json '{"name":"curlew"}' https://example.com/birds
        curlew get --json '{"name":"curlew"}' --bearer "$TOKEN" \\
          https://example.com/birds
      """)

  @Argument(
    help: ArgumentHelp(
      "[METHOD] URL [ITEM…], or several URLs; without a scheme https, and http for this machine (:8000 is localhost).",
      valueName: "url"))
  var urls: [String] = []
  @OptionGroup(title: "Request") var request: RequestArguments
  @OptionGroup(title: "Body") var body: BodyArguments
  @OptionGroup(title: "Output") var output: OutputArguments
  @OptionGroup(title: "Redirects") var redirects: RedirectArguments
  @OptionGroup(title: "Cookies") var cookies: CookieArguments
  @OptionGroup(title: "Limits") var limits: LimitArguments
  @OptionGroup(title: "Connection") var connection: ConnectionArguments
  @OptionGroup(title: "Trust") var trust: TrustArguments
  @OptionGroup(title: "Cache") var caching: CacheArguments
  @OptionGroup(title: "Credentials") var credentials: CredentialArguments
  @OptionGroup(title: "Schedule") var schedule: ScheduleArguments
  @OptionGroup(title: "Reporting") var reporting: ReportArguments
  @OptionGroup(title: "As in curl") var curl: CurlArguments
  @OptionGroup(title: "For scripts") var scripting: WriteOutArguments
  @OptionGroup(title: "Recording") var recording: HARArguments

  @Flag(
    help:
      "Print the curl command of each request and send nothing. Credentials, cookies and tokens are replaced unless --show-secrets is given, and so is what files hold; other content is not."
  )
  var asCurl = false

  @Flag(help: ArgumentHelp("Whether the method stands before the URL, as in HTTPie.", visibility: .private))
  var methodStandsFirst = false

  @Flag(help: ArgumentHelp("Whether the body is an object that the items make.", visibility: .private))
  var hasObjectOfItems = false

  @Flag(help: ArgumentHelp("Whether -o takes the head of a HEAD request.", visibility: .private))
  var writesHead = false

  @Flag(help: ArgumentHelp("Whether items take content from files.", visibility: .private))
  var hasContentOfFiles = false

  mutating func validate() throws {
    if let given = try output.urlsInPlaceOfDirectory(hasURLs: !urls.isEmpty) {
      (urls, output.directories) = (given + urls, ["."])
    }
    if let name = output.directory, curl.outputDir == nil, urls.count == 1, OutputArguments.isRatherFile(name) {
      throw ValidationError(
        "-O takes a directory; write -o \(name) for a file of this name, or -O \(name)/ for a directory.")
    }
    if let directory = curl.outputDir {
      guard let other = output.directory else {
        throw ValidationError("--output-dir is for -O; write the directory into -o.")
      }
      guard other == "." else { throw ValidationError("-O \(other) and --output-dir \(directory) are two; give one.") }
      output.directories = [directory]
    }
    try curl.checkCookieFile(jar: cookies.cookieJar)
    try takeWords()
    if request.head, output.files.count == 1, urls.count == 1, !output.isStandardOutput, output.dumpHeader == nil {
      // The head is all that there is to write.
      (output.dumpHeader, output.files, writesHead) = (output.files[0], [], true)
    }
    guard !urls.isEmpty else {
      let taken = [("-c", cookies.cookieJar), ("-d", body.data.last), ("-o", output.files.last), ("--json", body.json)]
        .first { $0.1.map(RequestWords.hasScheme) ?? false }
      throw ValidationError("Give at least one URL." + (taken.map { " The text behind \($0.0) is its value." } ?? ""))
    }
    _ = try output.destinations(for: urls.count)
    if scripting.writeOut?.isStandardInput ?? false, body.standardInputUses > 0 {
      throw ValidationError("Standard input cannot be both the body and the text of --write-out; give one as a file.")
    }
    if output.dumpHeader == "-", urls.count > 1 {
      throw ValidationError("-D - prints the heads of one URL; give one, or a file for the heads of several.")
    }
    if curl.failWithBody, output.writesFiles {
      throw ValidationError(
        "--fail-with-body prints the body of a failure, which no file gets; leave it out with -o and -O.")
    }
    if curl.continueAt != nil, !output.writesFiles { throw ValidationError("-C needs a file; add -o or -O.") }
    guard output.checksum == nil || urls.count == 1 else {
      throw ValidationError("--checksum is about one file; give one URL.")
    }
    guard request.head || body.standardInputUses > 0 else { return }
    if request.head, body.hasBody { throw ValidationError("--head sends no body.") }
    if request.head, output.writesFiles || output.decode != nil {
      throw ValidationError("--head prints only the head; it excludes -O, --decode, and several files.")
    }
    guard body.standardInputUses <= 1, request.head || urls.count == 1 else {
      throw ValidationError("Standard input can be sent only once; give one URL, or a file as the body.")
    }
  }

  func run() async throws {
    guard !hasUnsentInput else {
      throw ValidationError(
        "Standard input would not be sent; write --json @- or --data-binary @- to send it, or </dev/null if nothing is to be sent."
      )
    }
    reporting.apply()
    credentials.warn()
    warnOfHTTPieWords()
    warnOfGlobs()
    let fetches = try fetches()
    guard !asCurl else { return try printCommands(of: fetches) }
    let lifecycle = schedule.lifecycle
    try await Interruption.guarding(lifecycle) { try await self.carryOut(fetches, lifecycle) }
  }

  /// Says what `-f` and `--json` mean here where they were rather meant as in HTTPie; the request is sent as it was asked for.
  private func warnOfHTTPieWords() {
    let isShort = CommandLine.arguments.contains { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains("f") }
    if curl.fail, isShort, hasObjectOfItems {
      StandardError.warn("curlew: -f is --fail, as in curl, and the items are sent as JSON; write --form for a form.")
    }
    guard !hasObjectOfItems, let text = body.json, text.fileReference == nil, (try? JSONValue(parsing: text)) == nil
    else {
      return
    }
    let item = RequestItem(text).flatMap { item in
      item.kind.isContent && text.first.map { !"{[\"".contains($0) } == true ? item.shown : nil
    }
    let field = item.map { "; write \($0) behind the URL, without --json, to send it as a field" } ?? ""
    StandardError.warn("curlew: The text of --json is not JSON, and is sent as it is\(field).")
  }

  /// Says that a range or a list in a URL, which curl would fetch one by one, is part of its text.
  private func warnOfGlobs() {
    guard !curl.globoff, let glob = urls.lazy.compactMap(BareURL.glob(in:)).first else { return }
    StandardError.warn(
      "curlew: \(glob) is a part of the URL, where curl would fetch each; let the shell write the URLs, as with {1..3} or {a,b}. -g "
        + "leaves this out.")
  }

  /// Returns the fetches that the arguments describe.
  private func fetches() throws -> [Fetch] {
    let destinations = try output.destinations(for: urls.count)
    // Many files share connections. A single one has none to share, and is received in larger pieces.
    let sharesConnections = urls.count > 1 && output.writesFiles
    return try urls.enumerated().map { index, text in
      let url = body.uploadURL(BareURL.encoded(BareURL.completed(text)))
      var request = try request.request(for: url, hasBody: body.hasBody && !curl.sendsDataAsQuery)
      if body.uploadFile != nil, self.request.method == nil, !self.request.head { request.method = .put }
      curl.apply(to: &request)
      try body.apply(to: &request, asQuery: curl.sendsDataAsQuery)
      redirects.apply(to: &request)
      limits.apply(to: &request)
      connection.apply(to: &request)
      credentials.settings.apply(to: &request)
      Version.addUserAgent(to: &request)
      self.request.headers.removeDefaults(from: &request)
      curl.removeDefaults(from: &request)
      request.options.delivery = sharesConnections ? .collected : .streamed
      return Fetch(
        index: index, url: url, assumesScheme: BareURL.completed(text) != text, request: request,
        destination: destinations[index])
    }
  }

  /// Prints the command of each request for a shell.
  private func printCommands(of fetches: [Fetch]) throws {
    for (index, fetch) in fetches.enumerated() {
      let line = curlLine(of: fetch)
      try StandardOutput.write(line.text + "\n")
      guard index == 0 else { continue }
      if !line.missing.isEmpty {
        StandardError.write(
          "curlew: Not in the command, since curl has nothing for it: \(line.missing.joined(separator: ", ")).")
      }
      for remark in line.remarks { StandardError.write("curlew: \(remark)") }
    }
  }

  /// Whether downloads go on where an earlier run ended.
  var resumes: Bool { output.resume || curl.continueAt != nil }

  private var decodingOptions: DecodingOptions {
    var options = DecodingOptions()
    if let maxSize = limits.maxSize { options.bytes = Int(clamping: maxSize.bytes) }
    return options
  }

  /// Refuses destinations that cannot be written, before a request is sent; the report says so of each URL.
  private func check(_ fetches: [Fetch], _ report: ReportFile?) throws(ToolFailure) {
    do throws(ToolFailure) {
      for fetch in fetches { try fetch.destination.check(makesDirectories: curl.createDirs) }
    } catch {
      let failure = FetchFailure(
        kind: NetworkError.Kind.fileError.rawValue, stage: .preparing, message: error.description)
      for fetch in fetches { try report?.append(ReportLine(url: fetch.url, failure: failure)) }
      throw error
    }
  }

  /// Whether standard input has bytes that HTTPie would have sent.
  ///
  /// It is not read without being asked for: it can be the list that a loop reads, or stay open and give nothing.
  private var hasUnsentInput: Bool {
    methodStandsFirst && !asCurl && !body.hasBody && ["POST", "PUT", "PATCH"].contains(request.method)
      && scripting.writeOut?.isStandardInput != true && UnreadInput.exists
  }

  private func carryOut(_ fetches: [Fetch], _ lifecycle: SignalLifecycle?) async throws {
    DescriptorLimit.raise()
    let writesFiles = output.writesFiles
    let report = try reporting.report.map { try ReportFile($0) }
    try check(fetches, report)
    let parallel = writesFiles ? DescriptorLimit.transfers(schedule.parallel) : schedule.parallel
    let recorder = try recording.recorder()
    let given = credentials.settings
    let session = try ToolSession(
      connection, cookies: cookies.make(reading: curl.cookieFile), trust: try await trust.settings(),
      credentials: given,
      caching: caching.make(),
      parallel: parallel, trace: recording.trace(reporting.trace, over: connection, isAlone: fetches.count == 1),
      recorder: recorder)
    let toTerminal = !writesFiles && StandardOutput.isTerminal
    let display = ProgressDisplay(
      reporting.style, count: fetches.count, showsBody: toTerminal, printsBody: !writesFiles,
      showsEvents: reporting.trace)
    var options = Fetcher.Options(
      printsHead: output.include || request.head && !writesHead, maxSize: limits.maxSize?.bytes, hashes: report != nil,
      resumes: resumes, checksum: output.checksum?.digest, retry: limits.retryPolicy,
      decoder: output.decode.map { FormatList.serializer($0, decodingOptions) },
      printsErrors: !curl.fail, isForTerminal: StandardOutput.isTerminal && !output.isStandardOutput)
    options.compressesFiles = curl.compressed || caching.cache != nil
    options.writeOut = scripting.writeOut?.format
    // A trace says it itself.
    if reporting.printsFailures, !reporting.trace { options.announceRetry = { display.say($0) } }
    let heads = try output.dumpHeader.map { try HeadDump($0) }
    let fetcher = Fetcher(loader: session.loader, options: options) { request in
      var settings = session.settings(request)
      if let heads { settings.observers.append(heads) }
      return settings
    }
    let run = FetchRun(fetcher: fetcher, display: display, parallel: parallel, lifecycle: lifecycle)
    let failures = Mutex([Int: Int32]())
    let outcome: Result<Void, any Error>
    do {
      try await display.during {
        try await run.run(fetches) { result in
          if var failure = result.failure {
            failure.given = GivenOptions(
              retries: limits.retry, request: result.fetch.request, credentials: given, hasPins: trust.hasPins,
              isInsecure: trust.insecure)
            failure.assumesTLS = result.fetch.assumesScheme && result.fetch.request.url.scheme == "https"
            if reporting.printsFailures {
              display.say(
                failure.sentence(for: result.fetch.url, result.fetch.request.method, over: connection))
            }
            if reporting.trace { display.say("* to repeat it: \(curlLine(of: result.fetch).text)") }
            failures.withLock { $0[result.fetch.index] = CurlStatus.of(failure) }
          } else if let file = result.file, !result.wasWhole, StandardError.isTerminal || result.isNameless,
            !reporting.silent
          {
            display.say(result.summary(of: file))
          }
          try report?.append(ReportLine(result: result))
        }
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try await session.end()
    try recording.end(recorder)
    try heads?.end()
    if case .failure(is CancellationError) = outcome, reporting.printsFailures {
      // The terminal has written ^C where the line would begin; bars have ended it.
      let start = StandardError.isTerminal && display.style != .bar ? "\n" : ""
      StandardError.write(start + run.interruption(of: fetches))
    }
    try outcome.get()
    // What came into a pipe only after the start.
    if hasUnsentInput {
      StandardError.warn("curlew: Standard input was not sent; write --json @- or --data-binary @- to send it.")
    }
    guard let last = failures.withLock({ $0.max { $0.key < $1.key } }) else { return }
    throw scripting.exitAsCurl ? ExitCode(last.value) : ExitCode.failure
  }
}
