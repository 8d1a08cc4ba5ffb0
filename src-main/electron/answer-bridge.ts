/** Calls of pages, checked: who asks, and with what. */
import { BRIDGE_CALLS, type DesktopBridge } from '../contract/bridge.ts'
import type { BridgeCall } from '../contract/bridge-channels.ts'
import { isOwn } from './navigation.ts'

/** Who sent a call. */
export type Sender = {
  /** Address of the frame; undefined: it is gone. */
  readonly address: string | undefined
  /** Whether the frame is the window's own and not one within its page. */
  readonly isWindow: boolean
}

/** What answers the calls, once they are checked. */
export type BridgeAnswers = Omit<DesktopBridge, 'onNotice'>

/**
 * Answers one call of a page.
 * @throws Error for a page of another origin, a frame within a page, or an argument of another form; a page sees its
 *   message alone
 */
export async function answerBridge(
  call: BridgeCall,
  argument: unknown,
  {
    sender,
    origin,
    answers,
  }: { readonly sender: Sender; readonly origin: string | undefined; readonly answers: BridgeAnswers },
): Promise<unknown> {
  if (!sender.isWindow || sender.address === undefined || !isOwn(sender.address, origin))
    throw new Error(`${call} was refused: it did not come from a page of the service`)
  const { argument: form, answer } = BRIDGE_CALLS[call]
  const { data, success } = form.safeParse(argument)
  if (!success) throw new Error(`${call} was refused: its argument has another form`)
  // Each function takes what its own schema gives, which the type of the table cannot say.
  return answer.parse(await (answers[call] as (argument: unknown) => Promise<unknown>)(data))
}
