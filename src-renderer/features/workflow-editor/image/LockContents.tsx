import type { ReactNode } from 'react'
import type { LockedModel, LockedNodes, WorkflowLock } from '../../../../src-main/contract/worker-images.ts'
import { counted } from '../../../../src-main/lib/text.ts'
import { fileNameOf, saveToDisk } from '../../../browser/browser-files.ts'
import { useApp } from '../../../store/app-context.ts'
import { Button } from '../../../ui/Button.tsx'
import { bytes } from '../../../ui/format.ts'

type Props = {
  readonly lock: WorkflowLock
  readonly text: string | undefined
  readonly name: string
  readonly onUpdate: ((nodePackage: string) => void) | undefined
}

export function LockContents({ lock, text, name, onUpdate }: Props) {
  const { platform } = useApp()
  return (
    <div className="flex flex-col gap-4">
      <Part title="ComfyUI">
        <Row name={lock.comfyui.version ?? 'Commit'} detail={lock.comfyui.commit.slice(0, COMMIT_LENGTH)} />
        <Row name={lock.base.image.replace(/@.*/, '')} detail={`Python ${lock.base.python}`} />
      </Part>
      <Part title={counted(lock.nodes.length, 'node package')}>
        {lock.nodes.map((nodes) => (
          <Row key={nodes.name} name={nodes.name} detail={versionOf(nodes)}>
            {onUpdate !== undefined && (
              <Button kind="quiet" aria-label={`Update ${nodes.name}`} onClick={() => onUpdate(nodes.name)}>
                Update
              </Button>
            )}
          </Row>
        ))}
      </Part>
      <Part title={counted(lock.models.length, 'model')}>
        {lock.models.map((model) => (
          <Row key={`${model.folder}/${model.name}`} name={`${model.folder}/${model.name}`} detail={modelText(model)} />
        ))}
      </Part>
      <details>
        <summary className="cursor-pointer font-medium">{counted(lock.python.length, 'Python package')}</summary>
        <ul className="mt-1 flex flex-col">
          {lock.python.map((one) => (
            <Row key={one.name} name={`${one.name} ${one.version}`} detail={`for ${one.wantedBy.join(', ')}`} />
          ))}
        </ul>
      </details>
      {text !== undefined && (
        <Button
          className="self-start"
          onClick={() =>
            saveToDisk(new Blob([text], { type: 'application/yaml' }), fileNameOf(name, '.lock.yaml'), platform)
          }
        >
          Save the lock
        </Button>
      )}
    </div>
  )
}

const COMMIT_LENGTH = 8

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      <ul className="flex flex-col">{children}</ul>
    </section>
  )
}

type RowProps = { readonly name: string; readonly detail: string; readonly children?: ReactNode }

function Row({ name, detail, children }: RowProps) {
  return (
    <li className="flex min-h-7 flex-wrap items-center gap-x-3">
      <span className="min-w-0 break-all">{name}</span>
      <span className="text-small text-ink-2">{detail}</span>
      <span className="ml-auto">{children}</span>
    </li>
  )
}

function versionOf({ source }: LockedNodes): string {
  if ('registry' in source) return source.version
  return 'commit' in source ? source.commit.slice(0, COMMIT_LENGTH) : source.path
}

function modelText({ sizeBytes, delivery, source }: LockedModel): string {
  const size = sizeBytes === undefined ? 'size unknown' : bytes(sizeBytes)
  const from = source === undefined ? ', no address to download it from' : ''
  return `${size}${delivery === undefined ? '' : `, ${delivery}`}${from}`
}
