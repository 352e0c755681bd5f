import CurlewReachability
import FoundationEssentials
import Glibc

/// The recorded netlink messages of each case, beside the tests.
enum Recordings {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Logs"

  static func read(_ name: String) throws -> NetlinkRecording {
    NetlinkRecording(String(decoding: try Data(contentsOf: URL(filePath: folder + "/" + name)), as: UTF8.self))
  }

  /// Writes a recording where `Scripts/reachability --record` asks for it.
  ///
  /// - Parameter trimmed: Leaves out the attributes that nobody here reads, which are most of a long recording.
  static func keep(_ recording: NetlinkRecording, _ name: String, trimmed: Bool = false) throws {
    guard getenv("CURLEW_RECORD") != nil else { return }
    var recording = recording
    if trimmed {
      recording.batches = recording.batches.map { batch in
        var batch = batch
        batch.datagrams = batch.datagrams.map { $0.withUnsafeBytes { Self.trimmed($0) } }
        return batch
      }
    }
    try Data(recording.description.utf8).write(to: URL(filePath: folder + "/" + name))
  }

  /// The messages of a datagram with the attributes of links that tell name, driver, lower link and master.
  private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    var place = 0
    while place + 16 <= bytes.count {
      let length = Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
      let type = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self)
      guard length >= 16, place + length <= bytes.count else { break }
      var message = Array(bytes[place..<(place + length)])
      if type == 16 || type == 17, length > 32 {
        var kept = Array(message[..<32])
        var next = 32
        while next + 4 <= length {
          let size = Int(message[next]) | Int(message[next + 1]) << 8
          let kind = (Int(message[next + 2]) | Int(message[next + 3]) << 8) & 0x3FFF
          guard size >= 4, next + size <= length else { break }
          let padded = min(length, next + (size + 3) / 4 * 4)
          if [3, 5, 10, 37].contains(kind) { kept += message[next..<padded] }
          next = padded
        }
        withUnsafeBytes(of: UInt32(kept.count)) { kept.replaceSubrange(0..<4, with: $0) }
        message = kept
      }
      result += message + [UInt8](repeating: 0, count: (4 - message.count % 4) % 4)
      place += (length + 3) / 4 * 4
    }
    return result
  }
}
