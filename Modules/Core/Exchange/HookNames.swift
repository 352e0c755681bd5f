/// Names some of the questions of `ExchangeHooks`.
///
/// An interceptor declares in `Interceptor.asks` which questions it asks. An app thereby learns, before anything is sent, that
/// a hook it has set would never be called.
public struct HookNames: OptionSet, Sendable, Hashable, CustomStringConvertible {
  /// The bits, one for each question.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `ExchangeHooks.redirect`.
  public static let redirect = HookNames(rawValue: 1 << 0)
  /// `ExchangeHooks.canAnswer`.
  public static let canAnswer = HookNames(rawValue: 1 << 1)
  /// `ExchangeHooks.mayUseStoredCredentials`.
  public static let mayUseStoredCredentials = HookNames(rawValue: 1 << 2)
  /// `ExchangeHooks.challenge`.
  public static let challenge = HookNames(rawValue: 1 << 3)
  /// `ExchangeHooks.newBody`.
  public static let newBody = HookNames(rawValue: 1 << 4)
  /// `ExchangeHooks.storeInCache`.
  public static let storeInCache = HookNames(rawValue: 1 << 5)

  /// The names of the hooks as properties of `ExchangeHooks`, in their order.
  public var names: [String] { Self.named.filter { contains($0.0) }.map(\.1) }

  /// The names, separated by commas.
  public var description: String { names.joined(separator: ", ") }

  private static let named: [(HookNames, String)] = [
    (.redirect, "redirect"), (.canAnswer, "canAnswer"), (.mayUseStoredCredentials, "mayUseStoredCredentials"),
    (.challenge, "challenge"), (.newBody, "newBody"), (.storeInCache, "storeInCache"),
  ]
}

extension ExchangeHooks {
  /// The hooks that are set.
  public var names: HookNames {
    var names: HookNames = []
    if redirect != nil { names.insert(.redirect) }
    if canAnswer != nil { names.insert(.canAnswer) }
    if mayUseStoredCredentials != nil { names.insert(.mayUseStoredCredentials) }
    if challenge != nil { names.insert(.challenge) }
    if newBody != nil { names.insert(.newBody) }
    if storeInCache != nil { names.insert(.storeInCache) }
    return names
  }
}
