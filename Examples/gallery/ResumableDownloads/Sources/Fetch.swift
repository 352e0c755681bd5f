import Curlew

/// Downloads a file and shows the progress; the bytes that an earlier run has stored are not fetched again.
///
/// - Parameters:
///   - sha256: The digest that the file must have, in hexadecimal; nil skips the check.
///   - retry: Decides about further attempts in this run.
///   - show: Called for each snapshot of the progress, at most ten times a second.
/// - Throws: `NetworkError`, whose `details.resumption` says how many bytes are kept for the next run.
nonisolated(nonsending) func fetch(
  _ url: String, to path: String, sha256: String? = nil, over session: HTTPSession, retry: RetryPolicy? = .resuming,
  show: (TransferProgress) -> Void
) async throws -> DownloadResult {
  let download = session.download(url, to: path) { configuration in
    configuration.file.collision = .replace
    configuration.file.verification.expected = sha256.flatMap { ExpectedDigest("sha-256:\($0)") }
    configuration.retry = retry
  }
  for try await progress in download { show(progress) }
  return try await download.value
}

extension TransferProgress {
  /// The progress in one line, such as `12582912 of 25165824 bytes`.
  var line: String { "\(completed) of \(total.map(String.init) ?? "an unknown number of") bytes" }
}

@main struct ResumableDownloads {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 || arguments.count == 4 else {
      print("usage: ResumableDownloads URL FILE [SHA-256]")
      return
    }
    do {
      let sha256 = arguments.count == 4 ? arguments[3] : nil
      let file = try await fetch(arguments[1], to: arguments[2], sha256: sha256, over: HTTPSession()) { progress in
        print(progress.line)
      }
      print("\(file.path) has \(file.length) bytes; \(file.resumedFrom) of them were there before.")
    } catch let error as NetworkError {
      print(error, error.details.resumption.map { "\($0.completedBytes) bytes are kept; run this again." } ?? "")
    }
  }
}
