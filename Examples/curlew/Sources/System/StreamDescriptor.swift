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
/// Appending to a file is sequential, too. Files with offsets belong to `FileSystem`. When the other end stands still, an interruption
/// of the run ends the wait for it, with `ECANCELED`.
final class StreamDescriptor: ByteInput {
  /// The purpose of an open stream.
  enum Purpose {
    case reading
    case writing
    /// Append each write to the file, which is created if necessary.
    ///
    /// Several processes may append to one file.
    case appending
    /// Empty the file, which is created if necessary.
    case replacing

    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_RDONLY
      case .writing: O_WRONLY
      case .appending: O_WRONLY | O_CREAT | O_APPEND
      case .replacing: O_WRONLY | O_CREAT | O_TRUNC
      }
    }
  }

  private let descriptor: Int32
  private let path: String
  private let isOwned: Bool
  /// Whether a write takes what fits and never waits.
  private let neverBlocks: Bool
  /// Whether the other end can make a write wait.
  private let hasReader: Bool

  /// Uses a standard stream and leaves it open.
  init(borrowing descriptor: Int32, for purpose: Purpose) {
    path = ""
    hasReader = purpose != .reading && Self.hasReader(descriptor)
    // Opened again, because the flag belongs to the opening, which other programs use too.
    let own = hasReader ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    self.descriptor = own >= 0 ? own : descriptor
    (isOwned, neverBlocks) = (own >= 0, own >= 0)
  }

  /// Opens a path; waits for the other end of a pipe.
  init(_ path: String, for purpose: Purpose) throws(FileSystemError) {
    self.path = path
    isOwned = true
    descriptor = try Self.opened(path, purpose.flags | O_CLOEXEC)
    neverBlocks = fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
    hasReader = purpose != .reading && Self.hasReader(descriptor)
  }

  /// Opens a path; a pipe without waiting in the call, which nothing could interrupt.
  private static func opened(_ path: String, _ flags: Int32) throws(FileSystemError) -> Int32 {
    var status = stat()
    let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    while true {
      let descriptor = open(path, flags | (isPipe ? O_NONBLOCK : 0), 0o666)
      if descriptor >= 0 { return descriptor }
      // Nobody reads the pipe yet.
      guard isPipe, errno == ENXIO else { throw FileSystemError(code: errno, operation: "open", path: path) }
      guard StreamWaits.rest() else { throw FileSystemError(code: ECANCELED, operation: "open", path: path) }
    }
  }

  /// Whether a descriptor is a pipe, a socket or a terminal.
  private static func hasReader(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) || isatty(descriptor) == 1
  }

  deinit {
    if isOwned, descriptor >= 0 { close(descriptor) }
  }

  func read(upTo count: Int) throws(FileSystemError) -> Data {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      guard StreamWaits.wait(for: descriptor, POLLIN) else {
        throw FileSystemError(code: ECANCELED, operation: "read", path: path)
      }
      let taken = Glibc.read(descriptor, &bytes, count)
      if taken >= 0 { return Data(bytes[..<taken]) }
      guard [EINTR, EAGAIN].contains(errno) else {
        throw FileSystemError(code: errno, operation: "read", path: path)
      }
    }
  }

  /// Writes all bytes; blocks while the reader is slow.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
    var rest = bytes
    while !rest.isEmpty {
      if hasReader, !neverBlocks { try wait() }
      // A blocking pipe that can be written takes at least 4,096 bytes without waiting (PIPE_BUF).
      let most = neverBlocks || !hasReader ? rest.count : 4_096
      let written = Glibc.write(descriptor, rest.baseAddress, min(rest.count, most))
      if written > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      } else if written == 0 {
        throw FileSystemError(code: EIO, operation: "write", path: path)
      } else if errno == EAGAIN {
        try wait()
      } else if errno != EINTR {
        throw FileSystemError(code: errno, operation: "write", path: path)
      }
    }
  }

  /// Waits until something can be written.
  private func wait() throws(FileSystemError) {
    guard StreamWaits.wait(for: descriptor, POLLOUT) else {
      throw FileSystemError(code: ECANCELED, operation: "write", path: path)
    }
  }
}
