import CurlewCore
import CurlewDigests
import CurlewDownload
import CurlewLoading
import CurlewStorage
import FoundationEssentials
import HTTPTypes

/// What is known of the file of a resumed download that is there already.
private enum WholeFile {
  /// The digest of the file is the one that it must have, or it is not.
  case digest(matches: Bool)
  /// The server has the same file, or another, or does not say.
  case server(matches: Bool?)

  var isWhole: Bool {
    switch self {
    case .digest(let matches): matches
    case .server(let matches): matches ?? false
    }
  }

  /// The end of a sentence about the file.
  var text: String {
    switch self {
    case .digest(true): "has the digest"
    case .digest(false): "has another digest. It is fetched again"
    case .server(true): "is whole: the server has one of the same length, and has not changed it since"
    case .server(false): "the server has another or a newer one. It is fetched again"
    case .server(nil): "nothing tells whether it is complete; with --checksum it would be kept. It is fetched again"
    }
  }
}

extension Fetcher {
  /// Whether the file of a resumed download is there already and whole; the result is then of it.
  ///
  /// Its digest says so, or without one the server, which is asked. A file that nothing proves is fetched again, which is said,
  /// since the user expects it to go on. A batch has proofs of its own.
  func isWhole(_ fetch: Fetch, _ result: FetchResult) async throws -> Bool {
    guard options.resumes, fetch.willPublish == nil, case .file(let path) = fetch.destination else { return false }
    let url = URL(filePath: path)
    let part = url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent).curlew-part").path
    let expected = fetch.checksum ?? options.checksum
    let (status, record) = try await DiskWork().run { () throws(any Error) -> (FileStatus?, FileRecord?) in
      let files = LocalFileSystem()
      guard let status = try files.status(path), status.kind == .regular, try files.linkStatus(part) == nil else {
        return (nil, nil)
      }
      return (status, try expected.flatMap { try FileRecord.proven(at: path, by: $0, in: files) })
    }
    guard let status else { return false }
    let file: WholeFile
    if expected == nil {
      do {
        file = .server(matches: try await isUnchanged(status, fetch, result))
      } catch {
        try Task.checkCancellation()
        // The download meets the same error, and tries again if it is told to.
        return false
      }
    } else {
      file = .digest(matches: record != nil)
    }
    StandardError.write("curlew: \(path) is there already, and \(file.text).")
    guard file.isWhole else { return false }
    (result.file, result.length, result.resumedFrom) = (path, status.length, status.length)
    result.wasWhole = true
    if options.hashes { result.digest = try Digest.ofFile(path, .sha256).hexadecimal }
    return true
  }

  /// Asks for the last byte of a file, whose answer has the length and the validators of the whole (RFC 9110 §14.4).
  ///
  /// - Returns: Whether the server has a file of this length that is older than this one; nil if it does not say so.
  private func isUnchanged(_ status: FileStatus, _ fetch: Fetch, _ result: FetchResult) async throws -> Bool? {
    guard status.length > 0, fetch.request.method == .get, fetch.request.headerFields[.range] == nil else { return nil }
    var request = fetch.request
    request.headerFields[.range] = "bytes=\(status.length - 1)-\(status.length - 1)"
    request.headerFields[.acceptEncoding] = "identity"
    // The redirects of a report are those of the download.
    let response = try await loader.load(request, in: Exchange(settings(for: request, RedirectCount())))
    // A whole body that comes in spite of the range is not waited for.
    response.body.cancel()
    result.head = response.head
    return WholeProof.matches(response.head, status, now: HTTPDate(Date()))
  }
}

/// Compares a file with what a server says of its own.
enum WholeProof {
  /// Returns whether the answer to a request for the last byte is about the same bytes as a file; nil if it does not say.
  ///
  /// It must have the file's length, and a strong validator with a `Last-Modified` that is further back than the file's change.
  /// Each age is measured by the clock of its own machine, since the clocks may differ.
  static func matches(_ head: ResponseHead, _ status: FileStatus, now: HTTPDate) -> Bool? {
    let range = head.headerFields[.contentRange].flatMap { try? ContentRange($0) }
    guard let length = range?.total, [206, 416].contains(head.status.code) else { return nil }
    // No part of a shorter file (416) has this byte.
    guard length == status.length, head.status.code == 206 else { return false }
    func date(_ name: HTTPField.Name) -> HTTPDate? { head.headerFields[name].flatMap { HTTPDate($0, now: now) } }
    guard EntityValidator(head) != nil, let changed = date(.lastModified), let sent = date(.date) else { return nil }
    // Dates have whole seconds.
    return sent.secondsSince1970 - changed.secondsSince1970 > now.secondsSince1970 - status.modified + 1
  }
}
