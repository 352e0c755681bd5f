import ArgumentParser
import CurlewCore
import CurlewReachability
import FoundationEssentials
import Glibc

/// The command `curlew reach`.
struct Reach: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reach",
    abstract: "Says whether there is a network, or a route to a host, and of which kind.",
    discussion: """
      Asks the kernel and sends nothing, but for the lookup of a name. A route does not mean that a server answers. Exit \
      code 1 when there is no route; with --watch it goes on until it is interrupted.

      EXAMPLES
        curlew reach
        curlew reach example.com
        curlew reach --watch
      """)

  @Flag(help: "Print a line for each change, with its time, until interrupted.")
  var watch = false
  @Argument(
    help: ArgumentHelp("A name or an address; without it the internet, by the default route.", valueName: "host"))
  var host: String?

  /// The longest name lookup before the state is printed as unknown.
  private static let patience = Duration.seconds(10)

  func validate() throws { _ = try target() }

  func run() async throws {
    let target = try target()
    try await Interruption.guarding { try await self.look(at: target) }
  }

  private func look(at target: ReachabilityTarget) async throws {
    let monitor = ReachabilityMonitor(target)
    let changes = monitor.changes()
    monitor.start()
    defer { monitor.stop() }
    if case .polling(let step, let code) = monitor.source {
      StandardError.write(
        "curlew: The system refuses netlink (\(step), errno \(code)); files of /proc are read every 10 s instead.")
    }
    if watch {
      for await path in changes where path != .unknown {
        try StandardOutput.write("\(Self.time()) \(Self.text(path))\n")
      }
      return try Task.checkCancellation()
    }
    let path = try await Self.known(monitor, changes)
    try StandardOutput.write("\(Self.text(path))\n")
    guard path.status.isReachable != true else { return }
    if case .host(let name) = target, !Self.isAddress(name) {
      // A lookup that has not ended in time would not end sooner now. After one that failed, the system says again why.
      let late = (
        message: "The name server did not answer within \(Int(Self.patience / .seconds(1))) s", advice: "try again"
      )
      if let reason = path == .unknown ? late : Self.lookupFailure(name) {
        StandardError.write(
          FailureLine.text(
            name, reason.message, kind: .nameLookupFailed, stage: NetworkError.Stage.resolving.phrase,
            advice: reason.advice))
      }
    }
    throw ExitCode.failure
  }

  private static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
  }

  /// Returns why a name has no address, and what to do; nil if it has one.
  private static func lookupFailure(_ host: String) -> (message: String, advice: String)? {
    var addresses: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, nil, &addresses)
    if let addresses { freeaddrinfo(addresses) }
    guard code != 0 else { return nil }
    let advice = code == EAI_AGAIN ? "the name server does not answer; try again" : "check the spelling of the name"
    return ("No address was found for the name: \(String(cString: gai_strerror(code)))", advice)
  }

  /// Returns the first known path; `.unknown` when a lookup takes too long.
  private static func known(_ monitor: ReachabilityMonitor, _ changes: NetworkPathChanges) async throws -> NetworkPath {
    try await withThrowingTaskGroup(of: NetworkPath.self) { group in
      group.addTask {
        for await path in changes where path != .unknown { return path }
        try Task.checkCancellation()
        return .unknown
      }
      group.addTask {
        try await SystemClock().sleep(until: .now.advanced(by: patience))
        return .unknown
      }
      defer { group.cancelAll() }
      return try await group.next() ?? .unknown
    }
  }

  /// Returns a path as one line: `Reachable: eth0 (wired), IPv4 and IPv6`
  ///
  /// AFNetworking's words for a status would call a wire WiFi; the kinds of the interfaces say what it is.
  static func text(_ path: NetworkPath) -> String {
    var parts = path.interfaces.map { "\($0.name) (\($0.kind.rawValue))" }
    let families = [(AddressFamilies.ipv4, "IPv4"), (.ipv6, "IPv6")].filter { path.families.contains($0.0) }.map(\.1)
    if !families.isEmpty { parts.append(families.joined(separator: " and ")) }
    if path.isExpensive { parts.append("expensive") }
    if path.isConstrained { parts.append("constrained") }
    return ([words(of: path.status)] + (parts.isEmpty ? [] : [parts.joined(separator: ", ")])).joined(
      separator: ": ")
  }

  private static func words(of status: ReachabilityStatus) -> String {
    switch status {
    case .unknown: "Unknown"
    case .notReachable: "Not reachable"
    case .reachableViaWiFi, .reachableViaCellular: "Reachable"
    }
  }

  private static func time() -> String {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(Date())
  }

  /// Reads a name, an address or a URL.
  private func target() throws -> ReachabilityTarget {
    guard let host else { return .defaultRoute }
    let name = host.contains("://") ? URL(string: host)?.host(percentEncoded: false) : host
    let isWell = name.map { name in
      !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } && !name.contains("/")
    }
    guard let name, isWell == true else { throw ValidationError("'\(host)' is no name or address of a host.") }
    return .host(name)
  }
}
