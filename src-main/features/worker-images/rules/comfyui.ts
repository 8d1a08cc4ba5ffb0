export const COMFYUI = 'https://github.com/comfyanonymous/ComfyUI'
