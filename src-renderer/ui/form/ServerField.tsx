import clsx from 'clsx'
import { useState } from 'react'
import type { WorkflowServer } from '../../../src-main/contract/workflows.ts'
import {
  isSameServer,
  serverText,
  USUAL_SERVERS,
  withHiddenPassword,
  withoutCredentials,
} from '../../../src-main/features/workflows/rules/server-address.ts'
import { StateDot } from '../StateDot.tsx'
import { useWorkflowServers } from '../workflow-servers.ts'
import { CONTROL, type ControlProps } from './Field.tsx'

/**
 * The address of a ComfyUI server, whether one responds there, and a list of those that respond. A password is shown
 * only while editing.
 */
export function ServerField({ value, onChange, disabled = false, ...ids }: ControlProps<string>) {
  const [focused, setFocused] = useState(false)
  return (
    <div className="flex flex-col gap-1">
      <input
        {...ids}
        value={focused ? value : withHiddenPassword(value)}
        onChange={({ target }) => onChange(target.value)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        disabled={disabled}
        placeholder={USUAL_SERVERS[0]}
        autoComplete="off"
        spellCheck={false}
        className={clsx(CONTROL, 'h-7 font-mono text-small')}
      />
      <RespondingServers value={value} {...(disabled ? {} : { onUse: onChange })} />
    </div>
  )
}

// Servers are probed without a password, so those that need one are unknown.
const isProbed = (address: string) =>
  withoutCredentials(address) === address && USUAL_SERVERS.some((usual) => isSameServer(usual, address))

// Takes at least one line, so that nothing moves when the answer arrives.
function RespondingServers({ value, onUse }: { readonly value: string; readonly onUse?: (address: string) => void }) {
  const servers = useWorkflowServers()
  const isThis = ({ address }: Pick<WorkflowServer, 'address'>) => isSameServer(address, value)
  const others = servers?.filter((server) => !isThis(server)) ?? []
  return (
    <div className="flex min-h-5 flex-col gap-0.5 text-small">
      {servers?.filter(isThis).map(({ address, version }) => (
        <StateDot key={address} tone="completed" text="Answers" {...(version && { detail: `ComfyUI ${version}` })} />
      ))}
      {servers !== undefined && !servers.some(isThis) && isProbed(value) && (
        <StateDot tone="timed-out" text="No ComfyUI answers there" detail="Start it, or set another address." />
      )}
      {others.map(({ address, version }) => (
        <p key={address} className="text-ink-2">
          A ComfyUI{version && ` ${version}`} answers at {serverText(address)}.{' '}
          {onUse !== undefined && (
            <button type="button" onClick={() => onUse(address)} className="text-accent hover:underline">
              Use it<span className="sr-only">: {serverText(address)}</span>
            </button>
          )}
        </p>
      ))}
    </div>
  )
}
