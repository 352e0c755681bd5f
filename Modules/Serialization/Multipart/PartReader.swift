import CurlewCore
import FoundationEssentials

/// Reads one part and checks that it has the announced length.
final class PartReader {
  private enum Source {
    case bytes(Data)
    case file(any OpenFile, Body.FileRegion)
    case stream(any BodyChunks)
  }

  private let source: Source
  /// The number of the part, from 1.
  private let number: Int
  private let packetBytes: Int
  private let announced: Int64?
  private var made: Int64 = 0

  /// Opens the part's content.
  ///
  /// - Throws: `NetworkError` of kind `fileError` or `bodyLengthMismatch`, or the error with which a stream starts.
  init(_ body: Body, number: Int, packetBytes: Int, fileSystem: any FileSystem) async throws {
    self.number = number
    self.packetBytes = packetBytes
    announced = body.length
    switch body.source {
    case .empty: source = .bytes(Data())
    case .bytes(let data): source = .bytes(data)
    case .stream(let stream): source = .stream(try await stream.make())
    case .file(let region):
      let length: Int64
      do throws(FileSystemError) {
        let file = try fileSystem.open(region.path, .read)
        length = try file.length()
        source = .file(file, region)
      } catch {
        throw Self.unreadable(number, region, error)
      }
      guard length == region.fileLength else { throw Self.mismatch(number) }
    }
  }

  /// Whether each piece is sent as it arrives, without waiting for a full packet.
  var isStream: Bool { if case .stream = source { true } else { false } }

  /// Returns the next bytes; nil at the end.
  ///
  /// - Throws: `NetworkError` of kind `bodyLengthMismatch` or `fileError`, or the error of a stream.
  func next() async throws -> Data? {
    switch source {
    case .bytes(let data):
      let bytes = data.dropFirst(Int(made)).prefix(packetBytes)
      made += Int64(bytes.count)
      return bytes.isEmpty ? nil : bytes
    case .file(let file, let region): return try read(file, region)
    case .stream(let chunks):
      guard let bytes = try await chunks.next() else {
        guard announced ?? made == made else { throw Self.mismatch(number) }
        return nil
      }
      let (sum, overflows) = made.addingReportingOverflow(Int64(bytes.count))
      guard !overflows, sum <= announced ?? .max else { throw Self.mismatch(number) }
      made = sum
      return bytes
    }
  }

  private func read(_ file: any OpenFile, _ region: Body.FileRegion) throws -> Data? {
    var bytes = [UInt8](repeating: 0, count: Int(max(0, min(region.length - made, Int64(packetBytes)))))
    let count: Int
    let length: Int64
    do {
      length = try file.length()
      // Safe because the buffer is only written during the call.
      count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: region.offset + made) }
    } catch let error as FileSystemError {
      throw Self.unreadable(number, region, error)
    }
    // The file's length has changed since it was measured, so the bytes may mix two versions of it.
    guard count == bytes.count, length == region.fileLength else { throw Self.mismatch(number) }
    made += Int64(count)
    return count == 0 ? nil : Data(bytes)
  }

  private static func mismatch(_ number: Int) -> NetworkError {
    NetworkError(
      .bodyLengthMismatch, stage: .sending,
      message: "The length of part \(number) of the form has changed since it was added.", advice: "Add it again.")
  }

  private static func unreadable(_ number: Int, _ region: Body.FileRegion, _ error: FileSystemError) -> NetworkError {
    NetworkError(
      .fileError, stage: .sending,
      message: "The file \(region.path), part \(number) of the form, cannot be read: \(error.reason).",
      advice: error.advice,
      underlying: error)
  }
}
