import Testing

@testable import CurlewLoading

@Suite struct ActivityStateTests {
  private typealias State = ActivityState<Int>

  private enum Event: CaseIterable {
    case began, ended, due, disable, enable
  }

  private static func state() -> State { State(startDelay: .seconds(1), endDelay: .milliseconds(170)) }

  /// The state in each phase, with activity or without, and the turn of its delay.
  private static func state(_ phase: State.Phase, active: Bool) -> State {
    var state = state()
    guard phase != .idle || active else { return state }
    _ = state.began(1)
    if phase == .starting {
      if !active { _ = state.ended(1) }
      return state
    }
    _ = state.due(1)
    if phase == .ending { _ = state.ended(1) }
    return state
  }

  @Test func `short requests show nothing, and longer ones after the first delay`() {
    var state = Self.state()
    #expect(state.began(1) == .wait(.seconds(1), turn: 1))
    #expect(state.ended(1) == .nothing)
    #expect(state.due(1) == .nothing && state.phase == .idle)
    #expect(state.began(2) == .wait(.seconds(1), turn: 2))
    #expect(state.began(3) == .nothing)
    #expect(state.due(2) == .tell(true))
    #expect(state.ended(2) == .nothing)
    #expect(state.ended(3) == .wait(.milliseconds(170), turn: 3))
    #expect(state.due(3) == .tell(false) && state.phase == .idle)
  }

  @Test func `what begins while it ends keeps it shown, and the old delay does nothing`() {
    var state = Self.state(.ending, active: false)
    #expect(state.began(2) == .nothing && state.phase == .shown)
    #expect(state.due(2) == .nothing && state.phase == .shown)
    #expect(state.ended(2) == .wait(.milliseconds(170), turn: 4))
  }

  @Test func `ends that come twice or without a beginning are not counted`() {
    var state = Self.state()
    #expect(state.ended(7) == .nothing && state.phase == .idle)
    _ = state.began(1)
    _ = state.began(1)
    _ = state.began(2)
    _ = state.due(1)
    _ = state.ended(2)
    _ = state.ended(2)
    #expect(state.phase == .shown && state.active == [1])
    #expect(state.ended(1) == .wait(.milliseconds(170), turn: 2))
  }

  @Test func `switching off hides at once and goes on counting`() {
    for phase in [State.Phase.shown, .ending] {
      var state = Self.state(phase, active: phase == .shown)
      #expect(state.enable(false) == .tell(false) && state.phase == .idle)
      #expect(state.began(9) == .nothing)
      #expect(state.due(1) == .nothing && state.due(2) == .nothing)
      #expect(state.enable(true) == .wait(.seconds(1), turn: phase == .shown ? 3 : 4))
    }
    var state = Self.state(.starting, active: true)
    #expect(state.enable(false) == .nothing && state.enable(false) == .nothing)
    #expect(state.due(1) == .nothing && state.phase == .idle)
  }

  @Test func `it is shown only ever after it was hidden, whatever happens`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var state = Self.state()
      var isShown = false
      var turn: UInt64 = 0
      for _ in 0..<200 {
        let id = Int.random(in: 0..<4, using: &random)
        let effect =
          switch Event.allCases.randomElement(using: &random) ?? .began {
          case .began: state.began(id)
          case .ended: state.ended(id)
          case .due: state.due(turn)
          case .disable: state.enable(false)
          case .enable: state.enable(true)
          }
        switch effect {
        case .tell(let now):
          #expect(now != isShown)
          isShown = now
        case .wait(_, let next): turn = next
        case .nothing: break
        }
        #expect(isShown == (state.phase == .shown || state.phase == .ending))
      }
    }
  }
}
