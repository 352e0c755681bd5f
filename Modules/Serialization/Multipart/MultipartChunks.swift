import CurlewCore
import FoundationEssentials

/// Produces the bytes of a form in packets of bounded size.
// Safe because one task at a time asks for a body's chunks (see `BodyChunks`).
final class MultipartChunks: BodyChunks, @unchecked Sendable {
  /// The piece of the form that is produced next.
  private enum Phase {
    case opening
    case content(PartReader)
    case closing
    case done
  }

  /// The size of a packet in bytes when the form has no throttle.
  private static let packetBytes = 65_536

  private let form: MultipartForm
  private let clock: any NetworkClock
  private let fileSystem: any FileSystem
  private let limit: Int
  private var index = 0
  private var phase: Phase
  /// Bytes that were produced; those after `sent` have not been passed on.
  private var pending = Data()
  private var sent = 0
  private var isFirstPacket = true

  init(_ form: MultipartForm, clock: any NetworkClock, fileSystem: any FileSystem) {
    self.form = form
    self.clock = clock
    self.fileSystem = fileSystem
    limit = max(1, form.throttle?.packetBytes ?? Self.packetBytes)
    phase = form.parts.isEmpty ? .closing : .opening
  }

  func next() async throws -> Data? {
    var flushes = false
    while pending.count - sent < limit, !flushes {
      guard let piece = try await piece() else { break }
      take(piece.bytes)
      flushes = piece.flushes && pending.count > sent
    }
    guard pending.count > sent else { return nil }
    if let delay = form.throttle?.delay, !isFirstPacket {
      try await clock.sleep(until: clock.now.advanced(by: delay.limited))
    }
    isFirstPacket = false
    let packet = Data(pending.dropFirst(sent).prefix(limit))
    sent += packet.count
    return packet
  }

  /// Adds bytes after those not sent yet.
  ///
  /// When everything is sent, they replace the buffer, so that a stream's large chunk is not copied for each packet.
  private func take(_ bytes: Data) {
    if sent == pending.count {
      pending = bytes
    } else {
      pending = pending.dropFirst(sent) + bytes
    }
    sent = 0
  }

  /// Returns the next bytes, and whether to send them before the packet is full.
  ///
  /// Nil at the end of the form.
  private func piece() async throws -> (bytes: Data, flushes: Bool)? {
    switch phase {
    case .opening:
      let part = form.parts[index]
      phase = .content(try await PartReader(part.body, number: index + 1, packetBytes: limit, fileSystem: fileSystem))
      return (MultipartFraming.opening(form.boundary, part.headerFields, isFirst: index == 0), false)
    case .content(let reader):
      if let bytes = try await reader.next() { return (bytes, reader.isStream) }
      index += 1
      phase = index < form.parts.count ? .opening : .closing
      return (Data(), false)
    case .closing:
      phase = .done
      return (MultipartFraming.closing(form.boundary, isFirst: form.parts.isEmpty), false)
    case .done: return nil
    }
  }
}
