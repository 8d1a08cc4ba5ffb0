/**
 * Calls a function at a limited rate: the first time at once, then at most once per interval, and always for the last
 * request.
 */
export class Pace {
  readonly #spanMs: number
  readonly #act: () => void
  #isWanted = false
  #timer: NodeJS.Timeout | undefined

  constructor(spanMs: number, act: () => void) {
    this.#spanMs = spanMs
    this.#act = act
  }

  call(): void {
    this.#isWanted = true
    if (this.#timer === undefined) this.#next()
  }

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
