import CurlewCore
import CurlewCurlTransport
import CurlewLoading
import CurlewRequests
import CurlewSecurity
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Hooks that would be ignored are refused, and those that are asked are called where the app wants it.
@Suite(.timeLimit(.minutes(10))) struct HookTests {
  private static let every: [(name: HookNames, hooks: ExchangeHooks)] = [
    (.redirect, make { $0.redirect = { request, _ in request } }),
    (.canAnswer, make { $0.canAnswer = { _ in true } }),
    (.mayUseStoredCredentials, make { $0.mayUseStoredCredentials = { _ in true } }),
    (.challenge, make { $0.challenge = { _ in .defaultHandling } }),
    (.newBody, make { $0.newBody = { _ in nil } }),
    (.storeInCache, make { $0.storeInCache = { _ in .store } }),
  ]

  private static func make(_ change: (inout ExchangeHooks) -> Void) -> ExchangeHooks {
    var hooks = ExchangeHooks()
    change(&hooks)
    return hooks
  }

  @Test func `each chain is asked for the hooks that its interceptors ask, and for no others`() throws {
    let asking: HookNames = [.canAnswer, .mayUseStoredCredentials, .challenge]
    let identities = try ClientIdentities()
    let chains: [(InterceptorChain, HookNames)] = [
      (InterceptorChain(), []), (InterceptorChain(redirect: Redirect()), .redirect),
      (InterceptorChain(authentication: Authentication()), asking),
      (InterceptorChain(serverTrust: ServerTrustAsking()), asking),
      (InterceptorChain(caching: Caching(MemoryCacheStore())), .storeInCache),
      (InterceptorChain(perHop: [identities]), [.canAnswer, .challenge]),
      (InterceptorChain([identities]), [.canAnswer, .challenge]),
      (InterceptorChain(perHop: [ConcurrencyLimit(perOrigin: 1)]), []),
    ]
    for (chain, asked) in chains {
      let loader = Loader(StubTransport(.text("")), chain: chain)
      for (name, hooks) in Self.every {
        // Where nothing asks for a second body, none is needed.
        let isTaken = asked.contains(name) || name == .newBody
        if isTaken {
          #expect(try loader.settings(answering: hooks).hooks.names == name)
        } else {
          let error = #expect(throws: NetworkError.self) { try loader.settings(answering: hooks) }
          #expect(error?.kind == .hookNeverAsked)
          #expect(error?.message.contains(name.names[0]) == true, "\(name): \(error?.message ?? "")")
        }
      }
    }
  }

  @Test func `callbacks that would be ignored are refused too, and unset ones leave the loader's hooks`() throws {
    var callbacks = CallbackHooks()
    callbacks.redirect = { request, _ in request }
    let bare = Loader(StubTransport(.text("")))
    #expect(throws: NetworkError.self) { try bare.settings(answering: callbacks, on: .serial()) }
    var settings = ExchangeSettings()
    settings.hooks = Self.make { $0.storeInCache = { _ in .refuse } }
    let loader = Loader(
      StubTransport(.text("")), chain: InterceptorChain(redirect: Redirect()), settings: settings)
    #expect(try loader.settings(answering: callbacks, on: .serial()).hooks.names == [.redirect, .storeInCache])
    #expect(try loader.settings(answering: Self.every[0].hooks).hooks.names == [.redirect, .storeInCache])
  }

  @Test func `callbacks answer a redirect and a challenge on the wire, on the executor they are given`() async throws {
    let origin = try await ScriptedOrigin.start { request in
      switch request.path {
      case "/start": OriginReply.status(302, "", ["Location": "/guarded"])
      case "/guarded" where request["Authorization"] == nil:
        OriginReply.status(401, "", ["WWW-Authenticate": "Basic realm=\"r\""])
      default: .ok(request["Authorization"] ?? "none")
      }
    }
    let transport = try CurlTransport()
    let loader = Loader(transport, chain: InterceptorChain(redirect: Redirect(), authentication: Authentication()))
    let calls = Guarded<[String]>([])
    let runs = Guarded(0)
    let serial = CallbackExecutor.serial()
    let executor = CallbackExecutor { work in
      runs.withLock { $0 += 1 }
      serial.run(work)
    }
    var callbacks = CallbackHooks()
    callbacks.redirect = { proposed, response in
      if response != nil { calls.withLock { $0.append("redirect to \(proposed.url.path)") } }
      return proposed
    }
    callbacks.canAnswer = { space in
      calls.withLock { $0.append("can answer \(space.realm ?? "")") }
      return true
    }
    callbacks.challenge = { challenge, reply in
      calls.withLock { $0.append("challenge \(challenge.previousFailureCount)") }
      // Later, and from another thread.
      Task.detached { reply(.use(.password(user: "u", password: "p"))) }
    }
    let settings = try loader.settings(answering: callbacks, on: executor)
    let request = Request(.get, origin.url("/start"))
    let text = try await Transfer(loader, request, decoding: .string, settings: settings).run()
    #expect(text == "Basic dTpw")
    let seen = calls.withLock { $0 }
    #expect(seen == ["redirect to /guarded", "can answer r", "challenge 0"])
    #expect(runs.withLock { $0 } >= seen.count)
    await transport.shutdown()
    await origin.stop()
  }
}
