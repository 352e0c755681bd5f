import CurlewCore
import CurlewJSON
import CurlewLoading
import CurlewRequests
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import Testing

extension ComponentName where Component == Loader {
  fileprivate static let api = Self("api")
}

extension ComponentName where Component == any ResponseSerializer {
  fileprivate static let birds = Self("birds")
}

@Suite struct ComponentNamesTests {
  /// As an operation would keep its parts in an archive.
  private struct Archive: Codable {
    var loader: Loader
    var serializer: ComponentName<any ResponseSerializer>

    init(_ loader: Loader, _ serializer: ComponentName<any ResponseSerializer>) {
      self.loader = loader
      self.serializer = serializer
    }

    private enum Key: String, CodingKey { case loader, serializer }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      loader = try decoder.component(try container.decode(ComponentName<Loader>.self, forKey: .loader))
      serializer = try container.decode(ComponentName<any ResponseSerializer>.self, forKey: .serializer)
      _ = try decoder.component(serializer)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(try encoder.name(of: loader), forKey: .loader)
      try container.encode(serializer, forKey: .serializer)
    }
  }

  private static func coders(_ names: ComponentNames) -> (JSONEncoder, JSONDecoder) {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.userInfo[.componentNames] = names
    decoder.userInfo[.componentNames] = names
    return (encoder, decoder)
  }

  private static func kind(_ work: () throws -> Void) -> NetworkError.Kind? {
    do {
      try work()
      return nil
    } catch {
      return (error as? NetworkError)?.kind
    }
  }

  @Test func `an archive refers to a loader and a serializer by name`() throws {
    let loader = Loader(StubTransport(.text("")))
    var names = ComponentNames()
    names[.api] = loader
    names[.birds] = JSONResponseSerializer([String].self)
    let (encoder, decoder) = Self.coders(names)
    let data = try encoder.encode(Archive(loader, .birds))
    #expect(String(decoding: data, as: UTF8.self).contains("api"))
    let read = try decoder.decode(Archive.self, from: data)
    #expect(read.loader == loader)
    #expect(read.serializer == .birds)
    #expect(try names.component(.birds) is JSONResponseSerializer<[String]>)
  }

  @Test func `a loader equals its copies and no other`() {
    let loader = Loader(StubTransport(.text("")))
    let copy = loader
    #expect(loader == copy)
    #expect(loader != Loader(loader.transport))
    #expect(Set([loader, copy]).count == 1)
  }

  @Test func `a name belongs to one type`() throws {
    var names = ComponentNames()
    names[.api] = Loader(StubTransport(.text("")))
    #expect(Self.kind { _ = try names.component(ComponentName<any ResponseSerializer>("api")) } == .unknownComponent)
    #expect(names.names(of: Loader.self) == [.api])
    names[.api] = nil
    #expect(names.names(of: Loader.self).isEmpty)
    #expect(Self.kind { _ = try names.component(.api) } == .unknownComponent)
  }

  @Test func `an unknown name is an error that says what is registered`() throws {
    var names = ComponentNames()
    names[.api] = Loader(StubTransport(.text("")))
    let error = #expect(throws: NetworkError.self) { try names.component(ComponentName<Loader>("old")) }
    #expect(error?.message.contains("old") == true)
    #expect(error?.message.contains("api") == true)
    let (_, decoder) = Self.coders(names)
    let archive = Data(#"{"loader":"old","serializer":"birds"}"#.utf8)
    #expect(Self.kind { _ = try decoder.decode(Archive.self, from: archive) } == .unknownComponent)
    #expect(Self.kind { _ = try JSONDecoder().decode(Archive.self, from: archive) } == .unknownComponent)
  }

  @Test func `objects are found by identity and values by equality, and others need their name`() throws {
    let policy = RetryBudget()
    var names = ComponentNames()
    names[ComponentName<RetryBudget>("budget")] = policy
    names[ComponentName<ResponseValidation>("all")] = .everything
    names[ComponentName<any ResponseSerializer>("birds")] = JSONResponseSerializer([String].self)
    #expect(try names.name(of: policy).rawValue == "budget")
    #expect(Self.kind { _ = try names.name(of: RetryBudget()) } == .unknownComponent)
    #expect(try names.name(of: ResponseValidation.everything).rawValue == "all")
    #expect(Self.kind { _ = try names.name(of: ResponseValidation()) } == .unknownComponent)
    let serializer: any ResponseSerializer = JSONResponseSerializer([String].self)
    #expect(Self.kind { _ = try names.name(of: serializer) } == .unknownComponent)
  }

  @Test func `a mutated archive is a typed error or a value`() async throws {
    let loader = Loader(StubTransport(.text("")))
    var names = ComponentNames()
    names[.api] = loader
    names[.birds] = JSONResponseSerializer([String].self)
    let (encoder, decoder) = Self.coders(names)
    let archive = Array(try encoder.encode(Archive(loader, .birds)))
    var random = SeededRandom(seed: 9)
    var read = 0
    for number in 0..<5_000 {
      if number % 50 == 0 { await Task.yield() }
      var bytes = archive
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = Bool.random(using: &random) ? bytes[place] : UInt8.random(in: .min ... .max, using: &random)
      }
      do {
        _ = try decoder.decode(Archive.self, from: Data(bytes))
        read += 1
      } catch {
        #expect(error is DecodingError || (error as? NetworkError)?.kind == .unknownComponent, "\(error)")
      }
    }
    #expect(read > 0 && read < 5_000)
  }
}
