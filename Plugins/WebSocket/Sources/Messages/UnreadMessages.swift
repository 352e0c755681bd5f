import FoundationEssentials

/// The messages that have arrived and were not received yet, in their order.
struct UnreadMessages: Sendable {
  private var messages: [WebSocketMessage] = []
  private var next = 0
  /// The bytes of the messages; an empty one counts as one.
  private(set) var bytes = 0

  /// How many places are in use, those of received messages among them: at most twice as many as there are messages.
  var places: Int { messages.count }

  var isEmpty: Bool { messages.isEmpty }

  mutating func append(_ message: WebSocketMessage) {
    messages.append(message)
    bytes += max(1, message.count)
  }

  /// Removes and returns the oldest message; nil if there is none.
  mutating func removeFirst() -> WebSocketMessage? {
    guard !isEmpty else { return nil }
    let message = messages[next]
    messages[next] = .binary(Data())
    next += 1
    bytes -= max(1, message.count)
    if next == messages.count {
      (messages, next) = ([], 0)
    } else if 2 * next > messages.count {
      messages.removeFirst(next)
      next = 0
    }
    return message
  }
}
