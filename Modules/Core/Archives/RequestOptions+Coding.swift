extension RequestOptions: Codable {
  private enum Key: String, CodingKey {
    case version, timeouts, cachePolicy, redirectLimit, handlesCookies, priority, allowedNetworks, expectsContinue
    case decodesContent, httpVersion, rateLimit, isIdempotent, delivery, unixSocketPath, addressOverrides, needs
  }

  /// Reads options; a missing option stays unset.
  ///
  /// - Throws: `DecodingError` for an unsupported version, and for an option of the wrong type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    try ArchiveFormat.check(container, .version)
    self.init()
    timeouts = try container.decodeIfPresent(Timeouts.self, forKey: .timeouts) ?? Timeouts()
    cachePolicy = try container.decodeIfPresent(CachePolicy.self, forKey: .cachePolicy)
    redirectLimit = try container.decodeIfPresent(Int.self, forKey: .redirectLimit)
    handlesCookies = try container.decodeIfPresent(Bool.self, forKey: .handlesCookies)
    priority = try container.decodeIfPresent(RequestPriority.self, forKey: .priority)
    allowedNetworks = try container.decodeIfPresent(AllowedNetworks.self, forKey: .allowedNetworks)
    expectsContinue = try container.decodeIfPresent(Bool.self, forKey: .expectsContinue)
    decodesContent = try container.decodeIfPresent(Bool.self, forKey: .decodesContent)
    version = try container.decodeIfPresent(VersionPolicy.self, forKey: .httpVersion)
    rateLimit = try container.decodeIfPresent(RateLimit.self, forKey: .rateLimit)
    isIdempotent = try container.decodeIfPresent(Bool.self, forKey: .isIdempotent)
    delivery = try container.decodeIfPresent(ResponseDelivery.self, forKey: .delivery)
    unixSocketPath = try container.decodeIfPresent(String.self, forKey: .unixSocketPath)
    addressOverrides = try container.decodeIfPresent([AddressOverride].self, forKey: .addressOverrides) ?? []
    needs = TransportCapabilities(rawValue: try container.decodeIfPresent(UInt32.self, forKey: .needs) ?? 0)
  }

  /// Writes the options that are set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(ArchiveFormat.version, forKey: .version)
    if !timeouts.isUnset { try container.encode(timeouts, forKey: .timeouts) }
    try container.encodeIfPresent(cachePolicy, forKey: .cachePolicy)
    try container.encodeIfPresent(redirectLimit, forKey: .redirectLimit)
    try container.encodeIfPresent(handlesCookies, forKey: .handlesCookies)
    try container.encodeIfPresent(priority, forKey: .priority)
    try container.encodeIfPresent(allowedNetworks, forKey: .allowedNetworks)
    try container.encodeIfPresent(expectsContinue, forKey: .expectsContinue)
    try container.encodeIfPresent(decodesContent, forKey: .decodesContent)
    try container.encodeIfPresent(version, forKey: .httpVersion)
    try container.encodeIfPresent(rateLimit, forKey: .rateLimit)
    try container.encodeIfPresent(isIdempotent, forKey: .isIdempotent)
    try container.encodeIfPresent(delivery, forKey: .delivery)
    try container.encodeIfPresent(unixSocketPath, forKey: .unixSocketPath)
    if !addressOverrides.isEmpty { try container.encode(addressOverrides, forKey: .addressOverrides) }
    if !needs.isEmpty { try container.encode(needs.rawValue, forKey: .needs) }
  }
}
