import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A WebSocket server of SwiftNIO, for `Scripts/websocket-peers`, which knows no compression.
///
/// It writes its port on 127.0.0.1 to the file that its argument names, and does what `Scripts/peers/websocket-peer.py` says: each message is
/// sent back, in two fragments; `send COUNT SIZE`, `close CODE REASON` and `ping` are what they are there.
@main struct NIOWebSocketPeer {
  typealias Connection = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
  typealias Outbound = NIOAsyncChannelOutboundWriter<WebSocketFrame>

  private static let limit = 16 << 20

  static func main() async throws {
    let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          let upgrader = NIOTypedWebSocketServerUpgrader<Connection?>(
            maxFrameSize: limit,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                  NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1 << 20, maxAccumulatedFrameSize: limit))
                return try Connection(wrappingChannelSynchronously: channel)
              }
            })
          return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: .init(
              upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                  channel.close().flatMap { channel.eventLoop.makeSucceededFuture(nil) }
                })))
        }
      }
    let file = CommandLine.arguments[1]
    try Data(String(server.channel.localAddress?.port ?? 0).utf8).write(to: URL(filePath: file), options: .atomic)
    try await withThrowingDiscardingTaskGroup { group in
      try await server.executeThenClose { inbound in
        for try await connection in inbound {
          group.addTask {
            // A client that leaves in the middle ends its own connection, and not the server.
            guard let connection = try? await connection.get() else { return }
            try? await connection.executeThenClose { inbound, outbound in
              for try await frame in inbound {
                guard try await answer(frame, to: outbound) else { return }
              }
            }
          }
        }
      }
    }
  }

  /// Answers a frame, which is a whole message; returns false at the end of the connection.
  private static func answer(_ frame: WebSocketFrame, to outbound: Outbound) async throws -> Bool {
    switch frame.opcode {
    case .ping: try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
    case .connectionClose:
      try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: frame.unmaskedData))
      return false
    case .text:
      let text = String(buffer: frame.unmaskedData)
      let words = text.split(separator: " ", maxSplits: 2)
      if words.count == 3, words[0] == "send", let count = Int(words[1]), let size = Int(words[2]) {
        for number in 0..<count {
          let filling = String(repeating: "curlew ", count: size / 7 + 1)
          try await send(
            ByteBuffer(string: String("\(number) \(filling)".prefix(size))), number % 2 == 0 ? .text : .binary,
            to: outbound)
        }
      } else if words.count == 3, words[0] == "close", let code = Int(words[1]) {
        var data = ByteBuffer()
        data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: code))
        data.writeString(String(words[2]))
        try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
      } else {
        if text == "ping" {
          try await outbound.write(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer(string: "nio")))
        }
        try await send(frame.unmaskedData, .text, to: outbound)
      }
    case .binary: try await send(frame.unmaskedData, .binary, to: outbound)
    default: break
    }
    return true
  }

  /// Sends a message in two fragments, so that the client joins them.
  private static func send(_ data: ByteBuffer, _ opcode: WebSocketOpcode, to outbound: Outbound) async throws {
    var data = data
    let half = data.readSlice(length: data.readableBytes / 2) ?? ByteBuffer()
    try await outbound.write(WebSocketFrame(fin: false, opcode: opcode, data: half))
    try await outbound.write(WebSocketFrame(fin: true, opcode: .continuation, data: data))
  }
}
