import CurlewCore
import HTTPTypes
import Testing

/// Whether an error says that there is no network.
@Suite struct LocalNetworkTests {
  private static let loopback = LocalNetwork.Address(isLoopback: true)

  @Test(arguments: [
    [], [loopback], [loopback, LocalNetwork.Address(isUp: false)], [loopback, LocalNetwork.Address(isLinkLocal: true)],
    [LocalNetwork.Address(isUp: false, isLoopback: true)],
  ])
  func `without an address that reaches further, there is no network`(addresses: [LocalNetwork.Address]) {
    let loopbackIsUp = addresses.contains(Self.loopback)
    #expect(
      LocalNetwork(addresses).absence
        == (loopbackIsUp
          ? "This machine has no network: only its loopback interface is up."
          : "This machine has no network: none of its interfaces is up."))
  }

  @Test func `one interface with an address is a network`() {
    #expect(LocalNetwork([Self.loopback, LocalNetwork.Address()]).absence == nil)
  }

  @Test func `the system names the loopback interface of this machine`() throws {
    let network = try #require(LocalNetwork.current())
    #expect(network.addresses.contains { $0.isLoopback && $0.isUp })
  }

  @Test(arguments: [
    (NetworkError.Kind.nameLookupFailed, "http://example.com/", true),
    (.connectionFailed, "http://192.0.2.1/", true), (.connectionFailed, "http://[2001:db8::1]/", true),
    (.connectionFailed, "http://127.0.0.1:1/", false), (.connectionFailed, "http://localhost:1/", false),
    (.connectionFailed, "http://[::1]:1/", false), (.connectionLost, "http://example.com/", false),
  ])
  func `an error of a server that needs a network says that there is none`(
    kind: NetworkError.Kind, url: String, saysSo: Bool
  ) throws {
    let error = NetworkError(kind, stage: .connecting, message: "It failed.")
    let explained = error.explained(for: try Request(.get, url)) { LocalNetwork([Self.loopback]) }
    #expect(explained.details.lacksNetwork == saysSo)
    let advised = error.with { $0.advice = "Check the address." }
      .explained(for: try Request(.get, url)) { LocalNetwork([Self.loopback]) }
    #expect(advised.advice?.hasPrefix(saysSo ? "Connect it and try again; " : "Check the address.") == true)
    let absence = "This machine has no network: only its loopback interface is up. "
    #expect(explained.message == (saysSo ? absence : "") + "It failed.")
    // Another loader on the way says it no second time.
    #expect(explained.explained(for: try Request(.get, url)) { LocalNetwork([]) }.message == explained.message)
    let connected = error.explained(for: try Request(.get, url)) { LocalNetwork([LocalNetwork.Address()]) }
    #expect(connected.message == "It failed." && !connected.details.lacksNetwork)
  }
}
