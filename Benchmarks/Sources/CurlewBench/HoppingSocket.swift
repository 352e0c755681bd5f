import CRawWebSocket
import Foundation
import Synchronization

/// The loop in C on a thread of its own, and a task of the global pool that asks it for each echo.
///
/// It changes the thread twice for each text, as a task must whose socket belongs to another thread, and does nothing else.
final class HoppingSocket: Sendable {
  private let waiting = Mutex<UnsafeContinuation<Int, Never>?>(nil)
  private let asked = DispatchSemaphore(value: 0)

  /// Starts the thread, which connects when it is first asked.
  init(_ url: String, size: Int) {
    Thread.detachNewThread { [self] in
      let socket = raw_socket_open(url, nil)
      while let continuation = next() {
        continuation.resume(returning: socket.map { Int(raw_socket_echo($0, 1, 1, size, 0)) } ?? 0)
      }
      if let socket { raw_socket_free(socket) }
    }
  }

  /// Waits for the next question; nil says that the task is done.
  private func next() -> UnsafeContinuation<Int, Never>? {
    asked.wait()
    return waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }

  /// Sends texts one at a time; returns how many came back whole.
  func echo(_ count: Int) async -> Int {
    var arrived = 0
    for _ in 0..<count {
      arrived += await withUnsafeContinuation { continuation in
        waiting.withLock { $0 = continuation }
        asked.signal()
      }
    }
    return arrived
  }

  /// Ends the thread.
  func close() { asked.signal() }
}
