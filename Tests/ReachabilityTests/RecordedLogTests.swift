import CurlewCore
import CurlewReachability
import Testing

/// What real kernels said, as `Scripts/reachability --record` has kept it; runs everywhere.
@Suite struct RecordedLogTests {
  /// Each recorded case, what must be told of it, in order, and the addresses that it monitors.
  ///
  /// Between two of these states others may flash by, such as a link that is up before its route is there.
  private static let cases: [(name: String, states: [String], addresses: [String])] = [
    ("link-down-up", ["ipv4 cp0", "no", "ipv4 cp0"], []),
    ("carrier", ["ipv4 cc0", "no", "ipv4 cc0", "no"], []),
    ("address", ["ipv4 cp0", "no", "ipv4 cp0"], []),
    ("default-route", ["ipv4 cp0", "no", "ipv4 cp0", "ipv4 cd0", "no"], []),
    ("ipv6-only", ["no", "ipv6 cp0", "no"], []),
    ("families", ["ipv4+ipv6 cp0", "ipv6 cp0", "ipv4+ipv6 cp0", "ipv4 cp0"], []),
    ("address-target", ["no", "ipv4 cp0", "no"], ["198.51.100.9"]),
    ("flaps", ["no", "ipv4 cp0", "no"], []),
    ("thousand-interfaces", ["ipv4 cp0", "no", "ipv4 cp0"], []),
    ("lost-messages", ["no", "ipv4 cp0", "no"], []),
    ("name", ["ipv4 cp0"], ["192.0.2.2"]),
  ]

  @Test(arguments: cases.map(\.name)) func `a recorded kernel leads to the states it had`(name: String) throws {
    let recorded = try #require(Self.cases.first { $0.name == name })
    let told = try Recordings.read(name).paths(towards: recorded.addresses).map(\.summary)
    if name == "flaps" {
      // How many of the flaps are seen depends on how many lie between two readings.
      #expect(told.first == "no" && told.last == "no" && told.count > 3)
      #expect(zip(told, told.dropFirst()).allSatisfy { $0 != $1 })
    } else {
      #expect(told == recorded.states)
    }
  }

  @Test func `a log that is cut anywhere is no trap, and one that lost its end is told as far as it goes`() throws {
    let whole = try Recordings.read("families")
    for count in 0...whole.batches.count {
      let told = NetlinkRecording(Array(whole.batches.prefix(count))).paths()
      #expect(whole.paths().starts(with: told))
    }
  }

  @Test func `text that is no recording is an empty one`() {
    for text in ["", "batch", "zz\nbatch x\nabc\n0g", "0102"] {
      #expect(NetlinkRecording(text).batches.flatMap(\.datagrams).isEmpty)
    }
  }
}
