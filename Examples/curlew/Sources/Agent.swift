import ArgumentParser
import CurlewCore
import CurlewJSON
import CurlewLoading
import FoundationEssentials

/// The command `curlew agent`.
struct Agent: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Carries out requests for another program: JSON lines in, JSON lines out.",
    discussion: """
      Reads one object a line from standard input and writes one a line to standard output, in order of completion, over \
      one set of connections, until its input ends.

      In:  {"id":1,"url":"…","method":"GET","headers":[["Name","value"]],"body":"base64 or null",
            "redirect":"follow|manual|error",
            "cache":"default|no-store|reload|no-cache|force-cache|only-if-cached"}
      Out: {"id":1,"status":200,"reason":"OK","headers":[…],"interim":[…],"trailers":[…],"body":"base64",
            "finalURL":"…","fromCache":false}
      or   {"id":1,"error":{"kind":"…","stage":"…","message":"…"}}

      EXAMPLES
        echo '{"id":1,"url":"https://example.com/"}' | curlew agent
        my-test-suite --client 'curlew agent --timeout 10 --parallel 16'
      """)

  @OptionGroup(title: "Redirects") var redirects: RedirectArguments
  @OptionGroup(title: "Cookies") var cookies: CookieArguments
  @OptionGroup(title: "Limits") var limits: LimitArguments
  @OptionGroup(title: "Connection") var connection: ConnectionArguments
  @OptionGroup(title: "Trust") var trust: TrustArguments
  @OptionGroup(title: "Cache") var caching: CacheArguments
  @OptionGroup(title: "Credentials") var credentials: CredentialArguments
  @OptionGroup(title: "Schedule") var schedule: ScheduleArguments
  @OptionGroup(title: "Recording") var recording: HARArguments
  @Flag(
    name: [.customShort("v"), .customLong("verbose"), .customLong("trace")], help: ReportArguments.traceHelp)
  var trace = false

  func run() async throws {
    credentials.warn()
    try await Interruption.guarding { try await self.serve() }
  }

  private func serve() async throws {
    DescriptorLimit.raise()
    let recorder = try recording.recorder()
    let session = try ToolSession(
      connection, cookies: cookies.make(), trust: try await trust.settings(), credentials: credentials.settings,
      caching: caching.make(),
      parallel: schedule.parallel, trace: recording.trace(trace, over: connection), recorder: recorder)
    let worker = AgentWorker(
      session: session, limit: limits.maxSize?.bytes, retry: limits.retryPolicy, redirectLimit: redirects.maxRedirects
    ) { request in
      redirects.apply(to: &request)
      limits.apply(to: &request)
      connection.apply(to: &request)
      credentials.settings.apply(to: &request)
      Version.addUserAgent(to: &request)
    }
    let outcome: Result<Void, any Error>
    do {
      try await answerAll(worker)
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try await session.end()
    try recording.end(recorder)
    try outcome.get()
  }

  /// Returns the next line; a line that is too long is answered with an error and skipped.
  private static func line(of lines: inout InputLines) async throws -> Data? {
    while true {
      do {
        return try await lines.next()
      } catch let error as InputLines.LineTooLong {
        let answer = AgentWorker.answer(to: AgentFailure(id: .null, .malformed("\(error)")))
        try await StandardOutput.writeLine(JSONValue.object(answer).text())
      }
    }
  }

  /// Answers all lines; reads the next one only when fewer than `--parallel` are being carried out.
  private func answerAll(_ worker: AgentWorker) async throws {
    var lines = InputLines(.standard)
    try await withThrowingTaskGroup(of: JSONObject.self) { group in
      var running = 0
      while let line = try await Self.line(of: &lines) {
        if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }) {
          continue
        }
        if running == schedule.parallel, try await group.next() != nil { running -= 1 }
        group.addTask {
          let answer = await worker.answer(line)
          try await StandardOutput.writeLine(JSONValue.object(answer).text())
          return answer
        }
        running += 1
      }
      try await group.waitForAll()
    }
  }
}
