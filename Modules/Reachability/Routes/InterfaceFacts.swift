import CLinux
import CurlewCore
import Glibc

/// The properties of an interface in `/sys/class/net`.
struct InterfaceFacts: OptionSet, Hashable, Sendable {
  let rawValue: UInt8
  static let wireless = InterfaceFacts(rawValue: 1)
  static let modem = InterfaceFacts(rawValue: 2)

  /// Reads the facts of the interface with this name.
  ///
  /// - Parameter root: The directory that contains `/sys`; tests use another one.
  static func read(_ name: String, root: String = "") -> InterfaceFacts {
    // The name comes from the kernel and becomes a part of a path here.
    guard !name.isEmpty, !name.contains("/"), name != ".." else { return [] }
    let folder = root + "/sys/class/net/" + name
    var facts: InterfaceFacts = []
    if access(folder + "/wireless", F_OK) == 0 || access(folder + "/phy80211", F_OK) == 0 { facts.insert(.wireless) }
    for line in (SystemText.read(folder + "/uevent") ?? "").split(separator: "\n") {
      if line == "DEVTYPE=wlan" { facts.insert(.wireless) }
      if line == "DEVTYPE=wwan" { facts.insert(.modem) }
    }
    return facts
  }

  /// Returns an interface's kind, based on the kernel and its files.
  static func kind(of link: NetworkLink, _ facts: InterfaceFacts) -> NetworkInterface.Kind {
    if Int32(link.hardware) == ARPHRD_LOOPBACK { return .loopback }
    if facts.contains(.modem) || cellularDrivers.contains(link.driver) || cellularHardware.contains(link.hardware) {
      return .cellular
    }
    if facts.contains(.wireless) || (801...803).contains(link.hardware) { return .wiFi }
    if let kind = drivers[link.driver] { return kind }
    if tunnelHardware.contains(link.hardware) { return .tunnel }
    return [1, 32].contains(link.hardware) ? .wired : .other
  }

  private static let cellularDrivers: Set<String> = ["wwan", "rmnet"]
  /// `ARPHRD_RAWIP`, `ARPHRD_PHONET`, `ARPHRD_PHONET_PIPE`.
  private static let cellularHardware: Set<UInt16> = [519, 820, 821]
  /// `ARPHRD_PPP`, `ARPHRD_TUNNEL`, `ARPHRD_TUNNEL6`, `ARPHRD_SIT`, `ARPHRD_IPGRE`, `ARPHRD_IP6GRE`, `ARPHRD_NONE`.
  private static let tunnelHardware: Set<UInt16> = [512, 768, 769, 776, 778, 823, 0xFFFE]

  /// The driver kinds (`ip -d link`) that determine an interface's kind.
  private static let drivers: [String: NetworkInterface.Kind] = {
    var kinds: [String: NetworkInterface.Kind] = ["vlan": .wired]
    for name in [
      "tun", "wireguard", "ovpn", "ppp", "ipip", "sit", "gre", "gretap", "ip6gre", "ip6gretap", "ip6tnl", "vti", "vti6",
      "xfrm", "vxlan", "geneve", "erspan", "amt",
    ] {
      kinds[name] = .tunnel
    }
    for name in ["bridge", "bond", "team"] { kinds[name] = .bridge }
    for name in ["veth", "netkit", "macvlan", "macvtap", "ipvlan", "ipvtap", "dummy", "ifb", "vrf"] {
      kinds[name] = .virtual
    }
    return kinds
  }()
}

/// Reads small files of the system.
enum SystemText {
  /// Returns the text of a file, at most 1 MiB; nil when it cannot be read.
  static func read(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while text.count < 1 << 20 {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      text += piece[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
