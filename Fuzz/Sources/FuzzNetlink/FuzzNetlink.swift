import CurlewCore
import CurlewReachability
import FoundationEssentials
import FuzzKit

/// Fuzzes rtnetlink datagrams, for the default route and for two addresses.
@main enum FuzzNetlink: FuzzTarget {
  static func read(_ bytes: Data) {
    // The first byte selects where a second datagram begins, and whether messages were lost between the two.
    guard let first = bytes.first else { return }
    let all = Array(bytes.dropFirst())
    let cut = min(all.count, Int(first >> 1) * 4)
    let recording = NetlinkRecording([
      .init(port: 7, datagrams: [Array(all[..<cut])], isOverrun: first & 1 != 0),
      .init(port: 7, datagrams: [Array(all[cut...]), all]),
    ])
    for path in recording.paths() + recording.paths(towards: ["192.0.2.1", "2001:db8::1"]) {
      demand(path.status != .unknown, "a path that was told is not known")
      demand((path.status == .notReachable) == path.interfaces.isEmpty, "a path without interfaces is reachable")
      demand(path.families.isEmpty == path.interfaces.isEmpty, "a path has no family")
    }
    demand(
      NetlinkRecording(recording.description).batches.flatMap(\.datagrams)
        == recording.batches.flatMap(\.datagrams).filter { !$0.isEmpty }, "a recording does not read back")
  }
}
