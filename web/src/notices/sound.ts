const lastKey = "assent.sound.at";
const apartMs = 2000;

/** Two short tones, once for all tabs. Browsers refuse sound before the first click; then it is silent. */
export function ring(): void {
  try {
    const now = Date.now();
    if (now - Number(localStorage.getItem(lastKey) ?? 0) < apartMs) return;
    localStorage.setItem(lastKey, String(now));
    play();
  } catch {
    // No storage or no sound: what is new is shown as well.
  }
}

export function play(): void {
  const context = new AudioContext();
  const volume = context.createGain();
  volume.gain.value = 0.08;
  volume.connect(context.destination);
  for (const [pitch, from] of [
    [660, 0],
    [880, 0.12],
  ] as const) {
    const tone = context.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(volume);
    tone.start(context.currentTime + from);
    tone.stop(context.currentTime + from + 0.1);
  }
  setTimeout(() => void context.close(), 500);
}
