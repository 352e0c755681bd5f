import Curlew
import Foundation

/// Downloads a file and shows the progress; the bytes that an earlier run has stored are not fetched again.
///
/// - Parameters:
///   - digest: The digest that the file must have; nil skips the check.
///   - retry: Decides about further attempts in this run.
///   - show: Called for each snapshot of the progress, at most ten times a second.
/// - Throws: `NetworkError`, whose `details.resumption` says how many bytes are kept for the next run.
nonisolated(nonsending) func fetch(
  _ url: String, to path: String, digest: ExpectedDigest? = nil, over session: HTTPSession,
  retry: RetryPolicy? = .resuming,
  show: (TransferProgress) -> Void
) async throws -> DownloadResult {
  let download = session.download(url, to: path) { configuration in
    configuration.file.collision = .replace
    configuration.file.verification.expected = digest
    configuration.retry = retry
  }
  for try await progress in download { show(progress) }
  return try await download.value
}

extension TransferProgress {
  /// The progress in one line, such as `12582912 of 25165824 bytes`.
  var line: String { "\(completed) of \(total.map(String.init) ?? "an unknown number of") bytes" }
}

/// What the program is asked to do.
struct FetchCommand {
  var url: String
  var path: String
  var digest: ExpectedDigest?

  /// Reads the arguments after the program's name.
  ///
  /// - Throws: `WrongUsage`, also for a digest that is none: without it the file would go unchecked.
  init(_ arguments: [String]) throws(WrongUsage) {
    guard (2...3).contains(arguments.count) else {
      throw WrongUsage(description: "usage: ResumableDownloads URL FILE [SHA-256]")
    }
    (url, path) = (arguments[0], arguments[1])
    guard arguments.count == 3 else { return }
    guard let digest = try? ExpectedDigest("sha-256:\(arguments[2])") else {
      throw WrongUsage(description: "\(arguments[2]) is not a SHA-256; expected 64 hexadecimal digits.")
    }
    self.digest = digest
  }
}

/// Arguments that the program does not understand.
struct WrongUsage: Error, CustomStringConvertible { let description: String }

@main struct ResumableDownloads {
  static func main() async {
    do {
      let command = try FetchCommand(Array(CommandLine.arguments.dropFirst()))
      let file = try await fetch(command.url, to: command.path, digest: command.digest, over: HTTPSession()) {
        print($0.line)
      }
      print("\(file.path) has \(file.length) bytes; \(file.resumedFrom) of them were there before.")
    } catch let error as WrongUsage {
      fail("\(error)", status: 2)
    } catch {
      let kept = (error as? NetworkError)?.details.resumption.map {
        "\($0.completedBytes) bytes are kept; run this again."
      }
      fail("\(error) \(kept ?? "")", status: 1)
    }
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(status)
  }
}
