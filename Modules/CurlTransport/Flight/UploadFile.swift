import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc

/// The file that is a request's body, opened and read on a thread of its own: a disk that is slow, or a network's file
/// system that does not answer, holds up this request and no other.
final class UploadFile: Sendable {
  /// Bytes read at once.
  private static let piece = 128 * 1024

  private let reader: FileBodyReader
  private let disk: DiskWork

  /// Opens the file.
  init(_ region: Body.FileRegion, in files: any FileSystem) async throws(NetworkError) {
    let disk = DiskWork()
    reader = try await disk.run { () throws(NetworkError) in try FileBodyReader(region, in: files) }
    self.disk = disk
  }

  /// How many bytes it has.
  var length: Int64 { reader.left }

  /// The next bytes; nil at the end.
  fileprivate func next() async throws(NetworkError) -> Data? {
    let count = Int(min(Int64(Self.piece), reader.left))
    guard count > 0 else { return nil }
    return try await disk.run { [reader] () throws(NetworkError) in
      guard let memory = malloc(count) else { throw .exhausted("There is no memory for a piece of the body's file.") }
      do throws(NetworkError) {
        _ = try reader.read(into: UnsafeMutableRawBufferPointer(start: memory, count: count))
      } catch {
        free(memory)
        throw error
      }
      return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }
  }
}

/// The pieces of a file, as a stream makes them.
private final class FileChunks: BodyChunks {
  private let file: UploadFile

  init(_ file: UploadFile) { self.file = file }

  func next() async throws -> Data? { try await file.next() }
}

extension StreamUpload {
  /// Reads a file that is open, for one sending.
  convenience init(_ file: UploadFile, flight: CurlFlight) {
    // What reading a file throws is what the app is told.
    let told = { @Sendable (error: any Error) in error as? NetworkError ?? StreamUpload.told(error) }
    self.init(length: file.length, flight: flight, told: told) { FileChunks(file) }
  }
}

extension CurlFlight {
  /// Begins to open the file that is the request's body; false where the body is no file.
  ///
  /// The loop hears of its end by `Command.opened`, when the flight takes off. Its times begin now.
  func beginOpening() -> Bool {
    guard case .file(let region) = plan.request.body.source else { return false }
    phase.take(.opens)
    takenOffAt = max(loop.now, queuedAt)
    lastMotion = takenOffAt
    let files = loop.configuration.files
    Task {
      do throws(NetworkError) {
        let file = try await UploadFile(region, in: files)
        loop.post(.opened(self, .success(file)))
      } catch {
        loop.post(.opened(self, .failure(error)))
      }
    }
    return true
  }
}
