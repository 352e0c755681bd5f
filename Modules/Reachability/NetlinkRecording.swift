public import CurlewCore

/// A recording of the kernel's messages to a monitor, for replay elsewhere.
///
/// It helps with bug reports from machines whose network cannot be reproduced: record with
/// `ReachabilityMonitor.Configuration.record`, save `description`, read it back, and see which paths the monitor
/// derives. The text has a line for each datagram, in hexadecimal, and an empty line after each batch.
///
/// ```swift
/// let recording = NetlinkRecording(text)
/// print(recording.paths())
/// ```
public struct NetlinkRecording: Sendable, Hashable, CustomStringConvertible {
  /// The datagrams that the monitor read at once.
  public struct Batch: Sendable, Hashable {
    /// The address of the monitor's socket; the kernel's replies carry it.
    public var port: UInt32
    /// The datagrams, in order.
    public var datagrams: [[UInt8]]
    /// Whether the kernel reported lost messages.
    public var isOverrun: Bool

    /// Creates a batch.
    public init(port: UInt32, datagrams: [[UInt8]], isOverrun: Bool = false) {
      self.port = port
      self.datagrams = datagrams
      self.isOverrun = isOverrun
    }
  }

  /// The batches, in order.
  public var batches: [Batch]

  /// Creates a recording.
  public init(_ batches: [Batch] = []) { self.batches = batches }

  /// Reads a recording; invalid lines are ignored.
  public init(_ text: String) {
    batches = []
    var open: Batch?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("batch ") {
        if let open { batches.append(open) }
        let words = line.split(separator: " ")
        open = Batch(port: UInt32(words.last ?? "") ?? 0, datagrams: [], isOverrun: words.contains("overrun"))
      } else if let bytes = Self.bytes(line), !bytes.isEmpty {
        open?.datagrams.append(bytes)
      }
    }
    if let open { batches.append(open) }
  }

  /// The recording as text.
  ///
  /// `batch PORT` or `batch overrun PORT`, then a line for each datagram.
  public var description: String {
    batches.map { batch in
      (["batch \(batch.isOverrun ? "overrun " : "")\(batch.port)"] + batch.datagrams.map(Self.hexadecimal))
        .joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  /// Returns the paths that a monitor derives from it, without repeats.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the monitored host, as text; empty means the default route.
  ///   - isExpensive: The same as `ReachabilityMonitor.Configuration.isExpensive`.
  public func paths(
    towards addresses: [String] = [],
    isExpensive: @escaping @Sendable (NetworkInterface) -> Bool = { $0.kind == .cellular }
  ) -> [NetworkPath] {
    let targets = addresses.compactMap { RouteAddress($0) }
    var follower = NetlinkFollower(port: batches.first?.port ?? 0, targets: targets)
    let heuristics = InterfaceHeuristics(isExpensive: isExpensive)
    _ = follower.endBatch()
    var paths: [NetworkPath] = []
    for batch in batches {
      for datagram in batch.datagrams { datagram.withUnsafeBytes { follower.take($0) } }
      if batch.isOverrun { follower.overrun() }
      guard follower.endBatch().isSettled else { continue }
      let path =
        targets.isEmpty ? follower.table.internetPath(heuristics) : follower.table.path(to: targets, heuristics)
      if path != paths.last { paths.append(path) }
    }
    return paths
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func bytes(_ line: Substring) -> [UInt8]? {
    let digits = line.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[place], let low = digits[place + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
