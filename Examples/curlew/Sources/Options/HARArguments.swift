import ArgumentParser
import CurlewCore
import CurlewHAR

/// The options about recordings of what is sent and received.
struct HARArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Record each request, hop and attempt in an HTTP archive, which browsers and curlew inspect show. An existing file is replaced.",
      valueName: "file"), transform: checkedPath)
  var har: String?

  @Flag(
    help:
      "Record and print (--har, --as-curl, -v) secrets too: credentials, cookies, tokens, and content that is sent, which --as-curl prints in any case."
  )
  var showSecrets = false

  /// Which secrets are replaced; nil if all are shown.
  var redaction: Redaction? { showSecrets ? nil : .standard }

  /// Returns what prints events, if they are asked for.
  ///
  /// - Parameter isAlone: Whether the run makes one request.
  func trace(_ isWanted: Bool, over connection: ConnectionArguments, isAlone: Bool = false) -> TraceObserver? {
    guard isWanted else { return nil }
    return TraceObserver(showsSecrets: showSecrets, isAlone: isAlone, proxy: connection.proxies)
  }

  /// Creates the file of `--har`.
  ///
  /// - Throws: `ToolFailure` if it cannot be written.
  func recorder() throws(ToolFailure) -> HARRecorder? {
    guard let har else { return nil }
    var options = HARRecorder.Options()
    options.redaction = redaction
    do throws(FileSystemError) {
      return try HARRecorder(har, options: options)
    } catch {
      throw Self.failure(error, har)
    }
  }

  /// Writes the requests that have not ended.
  ///
  /// - Throws: `ToolFailure` if an entry could not be written.
  func end(_ recorder: HARRecorder?) throws(ToolFailure) {
    guard let recorder, let har else { return }
    recorder.close()
    if let failure = recorder.failure { throw Self.failure(failure, har) }
    guard recorder.droppedCount == 0 else {
      throw ToolFailure(
        "The archive \(har) has reached its limit of 256 MiB: \(recorder.droppedCount) requests are not in it.")
    }
  }

  private static func failure(_ error: FileSystemError, _ path: String) -> ToolFailure {
    ToolFailure("The archive cannot be written", path, error, advice: "give --har a file that can be written")
  }
}
