import CurlewCore
import CurlewStorage
import FoundationEssentials
import Glibc

/// A file with a request's body, which is opened and read on a thread for files.
///
/// A slow disk, or a network file system that does not answer, delays no request but those whose files have the same thread.
final class UploadFile: Sendable {
  /// The number of bytes to read at once.
  private static let piece = 128 * 1024

  private let reader: FileBodyReader
  private let disk: DiskWork

  /// Opens the file.
  init(_ region: Body.FileRegion, in files: any FileSystem, on disk: DiskWork) async throws(NetworkError) {
    reader = try await disk.run { () throws(NetworkError) in try FileBodyReader(region, in: files) }
    self.disk = disk
  }

  /// The number of bytes to send.
  var length: Int64 { reader.left }

  /// Returns the next bytes; nil at the end.
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

/// The threads on which a transport opens and reads files.
///
/// There are a few, however many files are sent at once. They begin when they are needed.
struct UploadDisks {
  static let most = 4

  private var disks: [DiskWork] = []
  private var turn = 0

  /// Returns the disk whose turn it is.
  mutating func next() -> DiskWork {
    defer { turn = (turn + 1) % Self.most }
    if turn == disks.count { disks.append(DiskWork()) }
    return disks[turn]
  }
}

/// The bytes of a file as the chunks of a stream.
private final class FileChunks: BodyChunks {
  private let file: UploadFile

  init(_ file: UploadFile) { self.file = file }

  func next() async throws -> Data? { try await file.next() }
}

extension StreamUpload {
  /// Creates an upload that reads an open file once.
  convenience init(_ file: UploadFile, flight: CurlFlight) {
    // Errors of reading the file are passed to the app unchanged.
    let told = { @Sendable (error: any Error) in error as? NetworkError ?? StreamUpload.told(error) }
    self.init(length: file.length, flight: flight, told: told) { FileChunks(file) }
  }
}

extension CurlFlight {
  /// Starts to open the file of the request's body; returns false for other bodies.
  ///
  /// The loop receives `Command.opened` when the file is open, and then starts the transfer. The timeouts count from now.
  func beginOpening() -> Bool {
    guard case .file(let region) = plan.request.body.source else { return false }
    phase.take(.opens)
    takenOffAt = max(loop.now, queuedAt)
    lastMotion = takenOffAt
    let files = loop.configuration.files
    let disk = loop.uploadDisks.next()
    Task {
      do throws(NetworkError) {
        let file = try await UploadFile(region, in: files, on: disk)
        loop.post(.opened(self, .success(file)))
      } catch {
        loop.post(.opened(self, .failure(error)))
      }
    }
    return true
  }
}
