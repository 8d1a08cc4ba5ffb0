/** Calls something at a pace: the first time at once, then at most once in a span, and never not for a last wish. */
export class Pace {
  readonly #spanMs: number
  readonly #act: () => void
  #isWanted = false
  #timer: NodeJS.Timeout | undefined

  constructor(spanMs: number, act: () => void) {
    this.#spanMs = spanMs
    this.#act = act
  }

  /** Wishes for a call, now or when the span is over. */
  call(): void {
    this.#isWanted = true
    if (this.#timer === undefined) this.#next()
  }

  /** Calls nothing more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#isWanted = false
  }

  #next(): void {
    this.#timer = undefined
    if (!this.#isWanted) return
    this.#isWanted = false
    this.#timer = setTimeout(() => this.#next(), this.#spanMs)
    this.#act()
  }
}
