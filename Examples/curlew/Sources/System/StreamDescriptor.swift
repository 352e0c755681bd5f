import CurlewCore
import FoundationEssentials
import Glibc

/// A sequential input of bytes.
protocol ByteInput: Sendable {
  /// Returns the next bytes, at least one; empty at the end. May block.
  func read(upTo count: Int) throws(FileSystemError) -> Data
}

/// A sequential descriptor, such as a standard stream, a pipe or a device.
///
/// Appending to a file is sequential, too. Files with offsets belong to `FileSystem`.
final class StreamDescriptor: ByteInput {
  /// The purpose of an open stream.
  enum Purpose {
    case reading
    case writing
    /// Append each write to the file, which is created if necessary.
    ///
    /// Several processes may append to one file.
    case appending

    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_RDONLY
      case .writing: O_WRONLY
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      }
    }
  }

  private let descriptor: Int32
  private let path: String
  private let isOwned: Bool

  /// Uses a descriptor and leaves it open.
  init(borrowing descriptor: Int32) {
    self.descriptor = descriptor
    path = ""
    isOwned = false
  }

  /// Opens a path; waits for the other end of a pipe.
  init(_ path: String, for purpose: Purpose) throws(FileSystemError) {
    self.path = path
    isOwned = true
    descriptor = open(path, purpose.flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileSystemError(code: errno, operation: "open", path: path) }
  }

  deinit {
    if isOwned, descriptor >= 0 { close(descriptor) }
  }

  func read(upTo count: Int) throws(FileSystemError) -> Data {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let taken = Glibc.read(descriptor, &bytes, count)
      if taken >= 0 { return Data(bytes[..<taken]) }
      guard errno == EINTR else { throw FileSystemError(code: errno, operation: "read", path: path) }
    }
  }

  /// Writes all bytes; blocks while the reader is slow.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if written > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      } else if written == 0 {
        throw FileSystemError(code: EIO, operation: "write", path: path)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&waiting, 1, -1)
      } else if errno != EINTR {
        throw FileSystemError(code: errno, operation: "write", path: path)
      }
    }
  }
}
