import CurlewCore
import CurlewSecurity
import FoundationEssentials
import FuzzKit

/// Fuzzes the OCSP response that a trusted server staples.
@main enum FuzzOCSP: FuzzTarget {
  private static let root =
    """
    MIIBkDCCATWgAwIBAgIUYLpskDoaK2SoUyIpCdxtsGjg1yYwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJRnV6eiBSb290MCAXDTI2\
    MTEyMTA5MjAyM1oYDzIxMjYxMDI4MDkyMDIzWjAUMRIwEAYDVQQDDAlGdXp6IFJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
    AATI+h4yKiaLvhPK54xv9oeZw+DT+wXV723qx1rBY5QVGqxL/sQDsI++BOAY1Yl1NzrQ3NXRjq4xCjsSKdHPxRxmo2MwYTAdBgNV\
    HQ4EFgQUnbMIt2IxC7gVjwU3VV0MH+uBm8QwHwYDVR0jBBgwFoAUnbMIt2IxC7gVjwU3VV0MH+uBm8QwDwYDVR0TAQH/BAUwAwEB\
    /zAOBgNVHQ8BAf8EBAMCAoQwCgYIKoZIzj0EAwIDSQAwRgIhAMuCteMRNyxtWEt7ZyNMJQd274E4SX50XneLudioRVpAAiEAgdvr\
    i4JcOXosmpsgp9qC3GoYpNgyOlj9mYbFFhSVIMg=
    """
  private static let leaf =
    """
    MIIBhzCCAS2gAwIBAgICEjQwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJRnV6eiBSb290MCAXDTI2MTEyMTA5MjAyM1oYDzIxMjYx\
    MDI4MDkyMDIzWjAUMRIwEAYDVQQDDAlGdXp6IExlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQS9AB1/2DClXCoe7EQRjzs\
    A8R/DZiDV/co49OqFCtBayCrOLMugGb/MrrZXZi7Fy2/THBbThUiIG87LCzxeteJo20wazAUBgNVHREEDTALgglsb2NhbGhvc3Qw\
    EwYDVR0lBAwwCgYIKwYBBQUHAwEwHQYDVR0OBBYEFDEq0QGV6oLOTwYIZgoJNxRqOTsBMB8GA1UdIwQYMBaAFJ2zCLdiMQu4FY8F\
    N1VdDB/rgZvEMAoGCCqGSM49BAMCA0gAMEUCIQDpDYWcGDENOU0khIOO7GgsX7E/ubxF1/y1yRAgBILrWwIgX6BSV+u8zu/l2Lcj\
    nvYfu0T30J6xXAmCdhErCNixKkM=
    """

  private static let policy: SecurityPolicy? = {
    guard let der = Data(base64Encoded: root), let anchor = try? Certificate(der: der) else { return nil }
    var settings = SecurityPolicy.Settings()
    settings.anchors = .only([anchor])
    settings.requiresStapledOCSP = true
    return try? SecurityPolicy(settings)
  }()

  static func read(_ bytes: Data) {
    guard let policy, let der = Data(base64Encoded: leaf) else { return demand(false, "the certificates are not read") }
    for date in [1_795_300_000, 1_900_000_000] {
      let trust = ServerTrust(
        host: "localhost", port: 443, certificates: [der], ocspResponse: bytes,
        date: Date(timeIntervalSince1970: TimeInterval(date)))
      do throws(ServerTrustError) {
        try policy.evaluate(trust)
        demand(date < 1_900_000_000, "a response counts years later")
      } catch {
        demand(
          error.reason == .revoked || error.reason == .revocationUnknown, "the chain itself is refused: \(error)")
      }
    }
  }
}
