import FoundationEssentials
import FuzzKit
import HTTPTypes

/// Fuzzes the bytes of a WebSocket's peer: frames, compressed messages, the head of an upgrade; the folders are links to the plugin's
/// sources.
///
/// The first byte of an input chooses the role and the compression.
@main enum FuzzWebSocket: FuzzTarget {
  /// What a reader made of an input.
  private struct Reading {
    var events: [MessageReader.Event] = []
    var violation: WebSocketViolation?
  }

  private static let limits = {
    var limits = WebSocketLimits()
    limits.messageBytes = 1 << 16
    limits.frameBytes = 1 << 15
    limits.framesPerMessage = 32
    return limits
  }()

  static func read(_ bytes: Data) {
    guard let choice = bytes.first else { return }
    let input = Data(bytes.dropFirst())
    let role = choice & 1 == 0 ? WebSocketRole.client : .server
    var direction = DeflateParameters.Direction()
    direction.windowBits = 8 + Int(choice >> 1 & 7)
    direction.keepsContext = choice & 16 == 0
    let compression = choice & 32 == 0 ? nil : DeflateParameters(server: direction, client: direction)
    let whole = reading(of: [input], role, compression)
    let cut = reading(of: input.pieces, role, compression)
    // zlib finds bytes that are farther back than the agreed window if the same call has made them; no longer window is possible.
    if compression == nil || direction.windowBits == 15 {
      demand(whole.events == cut.events, "what arrives depends on how it is cut")
      // Of two faults in one piece, another one may be found first.
      demand((whole.violation == nil) == (cut.violation == nil), "a fault depends on how the bytes are cut")
    }
    for case .message(let message) in whole.events {
      let count =
        switch message {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
      demand(count <= limits.messageBytes, "a message is above its limit")
    }
    demand(heads(of: [input]) == heads(of: input.pieces), "the head of an upgrade depends on how it is cut")
    var fields = HTTPFields()
    fields[.webSocketExtensions] = String(decoding: input, as: UTF8.self)
    if let extensions = try? WebSocketExtension.list(fields) {
      for answer in extensions { _ = try? DeflateParameters(answer: answer, to: WebSocketCompression()) }
    }
  }

  private static func reading(
    of pieces: [Data], _ role: WebSocketRole, _ compression: DeflateParameters?
  ) -> Reading {
    var reading = Reading()
    do throws(WebSocketViolation) {
      var reader = try MessageReader(role, limits, compression)
      for piece in pieces {
        try Array(piece).withRawBytes { (bytes) throws(WebSocketViolation) in
          try reader.read(bytes, into: &reading.events)
        }
      }
    } catch {
      reading.violation = error
    }
    return reading
  }

  /// The heads that were read, and the error that ended it.
  private static func heads(of pieces: [Data]) -> [String] {
    var reader = ResponseHeadReader()
    var heads: [String] = []
    do throws(UpgradeRefusal) {
      for piece in pieces {
        reader.append(piece)
        while let head = try reader.next() { heads.append("\(head)") }
      }
    } catch {
      heads.append(error.text)
    }
    return heads
  }
}
