import { useState } from 'react'
import type { ImageConflict } from '../../../../src-main/contract/worker-images.ts'
import { COMFYUI_NAME } from '../../../../src-main/features/worker-images/rules/comfyui.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { Said } from '../../../ui/PageStates.tsx'
import { StateDot } from '../../../ui/StateDot.tsx'

type Props = {
  readonly conflicts: readonly ImageConflict[]
  /** Missing while nothing may be started. */
  readonly onSource: ((nodePackage: string, source: string) => void) | undefined
}

export function Conflicts({ conflicts, onSource }: Props) {
  if (conflicts.length === 0) return null
  return (
    <ul aria-label="Conflicts" className="flex flex-col divide-y divide-line rounded-control border border-line">
      {conflicts.map((conflict) => (
        <li key={`${conflict.code} ${conflict.message}`} className="flex flex-col gap-1.5 p-2">
          <StateDot
            tone={conflict.blocks ? 'failed' : 'timed-out'}
            text={conflict.blocks ? 'Blocks the build' : 'Warning'}
          />
          <p className="wrap-anywhere">
            <Said text={conflict.message} />
          </p>
          {conflict.packages === undefined ? (
            <Choices choices={conflict.choices} />
          ) : (
            <SourceChoice packages={conflict.packages} onSource={onSource} />
          )}
        </li>
      ))}
    </ul>
  )
}

function Choices({ choices }: Pick<ImageConflict, 'choices'>) {
  if (choices.length === 0) return null
  return (
    <ul aria-label="Ways to solve it" className="list-disc pl-5 text-small text-ink-2">
      {choices.map((choice) => (
        <li key={choice} className="wrap-anywhere">
          <Said text={choice} />
        </li>
      ))}
    </ul>
  )
}

type SourceChoiceProps = Pick<Props, 'onSource'> & { readonly packages: NonNullable<ImageConflict['packages']> }

function SourceChoice({ packages, onSource }: SourceChoiceProps) {
  const [first, another] = packages
  const only = another === undefined ? first?.name : undefined
  const [name, setName] = useState(only ?? '')
  const [source, setSource] = useState('')
  const known = packages.flatMap((one) => one.sources.map((from) => ({ name: one.name, source: from })))
  return (
    <>
      {known.length > 0 && (
        <ul aria-label="Known sources" className="flex flex-col gap-1">
          {known.map((one) => (
            <li key={`${one.name} ${one.source}`} className="flex items-start gap-2">
              <span className="min-w-0 flex-1 py-1 wrap-anywhere">
                {only === undefined && `${one.name} `}
                <span className="font-mono text-small text-ink-2">{one.source}</span>
              </span>
              <Button
                aria-label={`Use ${one.source} for ${one.name}`}
                disabled={onSource === undefined}
                onClick={() => onSource?.(one.name, one.source)}
              >
                Use
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Form onSubmit={() => onSource?.(name.trim(), source.trim())} className="flex flex-col gap-2">
        {only === undefined && (
          <Field
            label="Node package"
            hint="Name of its folder in custom_nodes."
            value={name}
            onChange={({ target }) => setName(target.value)}
            required
          />
        )}
        <Field
          label={only === undefined ? 'Source' : `Source of ${only}`}
          hint={
            only === COMFYUI_NAME
              ? 'A version, like 0.3.40, or a git repository, like ADDRESS@TAG.'
              : 'A folder, a git repository, like ADDRESS@TAG, or registry:ID@VERSION.'
          }
          value={source}
          onChange={({ target }) => setSource(target.value)}
          required
        />
        <Button type="submit" className="self-start" disabled={onSource === undefined}>
          Use this source
        </Button>
      </Form>
    </>
  )
}
