import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import Testing

@testable import CurlewSecurity

@Suite struct HostPoliciesTests {
  @Test func `an exact host goes before a wildcard, which stands for one label`() throws {
    let exact = try SecurityPolicy(.with { $0.anchors = .only([]) })
    let wildcard = try SecurityPolicy(.with { $0.leastTLSVersion = .tls13 })
    let policies = try HostPolicies(["API.example.com": exact, "*.Example.com": wildcard], otherHosts: nil)
    #expect(policies.policy(for: "api.example.com")?.connectionKey == exact.connectionKey)
    #expect(policies.policy(for: "www.example.com")?.connectionKey == wildcard.connectionKey)
    for host in ["a.www.example.com", "example.com", ".example.com", "other.example"] {
      #expect(policies.policy(for: host) == nil)
    }
    #expect(policies.requirements.leastVersion == .tls13)
    let trust = ServerTrust(host: "other.example", port: 443, certificates: [], date: Date())
    let error = #expect(throws: ServerTrustError.self) { try policies.evaluate(trust) }
    #expect(error?.reason == .policy)
  }

  @Test(arguments: [
    ("api.example", ["api.example", "API.example.", "api.example."]), ("api.example.", ["api.example"]),
    ("[::1]", ["::1", "[::1]"]), ("::1", ["::1"]), ("*.example.", ["a.example", "a.example."]),
    ("bücher.example", ["xn--bcher-kva.example"]),
  ])
  func `no way to write a host gets past its policy`(written: String, asked: [String]) throws {
    let policy = try SecurityPolicy(.with { $0.leastTLSVersion = .tls13 })
    let policies = try HostPolicies([written: policy], otherHosts: try .system())
    for host in asked { #expect(policies.policy(for: host)?.connectionKey == policy.connectionKey, "\(host)") }
  }

  @Test func `a name that is no host, or comes twice, makes no policies`() throws {
    let policy = try SecurityPolicy.system()
    for hosts in [["*"], ["*.127.0.0.1"], ["a b"], [""], ["a.example", "A.example"], ["a.example", "a.example."]] {
      let named = Dictionary(uniqueKeysWithValues: hosts.map { ($0, policy) })
      let error = #expect(throws: SecurityError.self) { try HostPolicies(named, otherHosts: nil) }
      #expect(error?.kind == .malformedHost)
    }
  }

  @Test func `one host that pins has plain http refused, and every host is in the connection key`() throws {
    let pinning = try SecurityPolicy(.with { $0.pinningMode = .publicKey })
    let system = try SecurityPolicy.system()
    let all = [
      try HostPolicies([:], otherHosts: nil), try HostPolicies([:], otherHosts: system),
      try HostPolicies(["a.example": pinning], otherHosts: system),
      try HostPolicies(["b.example": pinning], otherHosts: system),
      try HostPolicies(["a.example": system], otherHosts: system),
    ]
    #expect(Set(all.map(\.connectionKey)).count == all.count)
    #expect(all.map(\.requirements.refusesPlainHTTP) == [false, false, true, true, false])
  }
}
