/** What-if questions are answered beside the event loop, which a simulation would hold for seconds. */
import type { PriceTable } from '../../contract/what-if.ts'
import type { answerWhatIf, WhatIfQuestion } from '../../domain/what-if/answer.ts'
import type { RecordedJob } from '../../domain/what-if/measure.ts'

/** Jobs of the history, which are too many to hand over at once. */
export type RecordedPage = { readonly to: 'history' | 'recorded'; readonly jobs: readonly RecordedJob[] }

/** A question without the jobs, which come in pages. */
export type WhatIfDraft = Omit<WhatIfQuestion, 'history' | 'recorded'> & {
  readonly workers: WhatIfQuestion['history']['workers']
  readonly isRecorded: boolean
}

/**
 * Answers a question; the pages are asked for one by one, oldest last.
 * @throws the reason of the signal when it aborts, and Error when the calculation failed
 */
export type AnswerBeside = (
  draft: WhatIfDraft,
  pages: AsyncIterable<RecordedPage>,
  signal: AbortSignal,
) => Promise<ReturnType<typeof answerWhatIf>>

/** Reads the public list prices of this installation. */
export type ReadPrices = () => Promise<PriceTable>
