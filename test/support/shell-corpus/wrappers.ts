/**
 * Programs that start others, in many spellings. `{c}` stands for the words of a command, `{t}` for a text as one argument, `{w}` for a
 * text without quotes as words of another, `{T}` for a text on a line of its own.
 */

export interface WrapperSpellings {
  /** The entries of the unwrapping table that it needs. */
  readonly tools: readonly string[];
  readonly spellings: readonly string[];
}

const SHELL_OPTIONS =
  "-c|-lc|-l -c|-ic|--login -c|--norc --noprofile -c|-euxo pipefail -c|-eu -o pipefail -c|-o xtrace -c|-c -l|-c --|-xc|-cl|+x -c".split(
    "|",
  );

const shells = (name: string, options: readonly string[] = SHELL_OPTIONS): WrapperSpellings => ({
  tools: [name],
  spellings: options.map((option) => `${name} ${option} {t}`),
});

const of = (tools: string, ...spellings: string[]): WrapperSpellings => ({ tools: tools.split(" "), spellings });

export const WRAPPERS: readonly WrapperSpellings[] = [
  shells("bash", [...SHELL_OPTIONS, "-O extglob -c", "--rcfile x -c"]),
  shells("sh"),
  shells("dash", ["-c", "-lc", "-ec"]),
  shells("ash", ["-c", "-lc"]),
  shells("zsh", ["-c", "-lc", "-ic"]),
  shells("ksh", ["-c", "-lc"]),
  shells("mksh", ["-c"]),
  shells("fish", ["-c", "--command", "-lc"]),
  shells("csh", ["-c"]),
  of(
    "sh",
    "sh <<< {t}",
    "sh -s <<EOF\n{T}\nEOF",
    "echo {t} | sh",
    "printf '%s\\n' {t} | sh",
    "cat <<'E' | sh -\n{T}\nE",
    "echo {t} | sh /dev/stdin",
  ),
  of(
    "bash",
    "/bin/bash -lc {t}",
    "bash <<< {t}",
    "bash <<-'E'\n\t{T}\nE",
    "{ echo {t}; } | bash",
    "( printf {t} ) | bash -s",
  ),
  of("bash", "bash -c '\"$@\"' _ {c}", "bash -c 'eval \"$1\"' _ {t}"),
  of("eval", "eval {t}", "eval -- {t}", "builtin eval {t}", "command eval {t}", "eval {w}"),
  of("exec", "exec {c}", "exec -a name {c}", "exec -c {c}"),
  of("command", "command {c}", "command -p {c}", "command -- {c}"),
  of("builtin", "builtin {c}"),
  of("source", "source /dev/stdin <<< {t}"),
  of(".", ". /dev/stdin <<< {t}"),
  of(
    "env",
    "env {c}",
    "env -i {c}",
    "env - {c}",
    "env -u A {c}",
    "env --unset=A CI=1 {c}",
    "/usr/bin/env -- {c}",
    "env -S '{w}'",
    "env -iS '{w}'",
    "env --split-string='{w}'",
    "env --split='{w}'",
    "env -S'{w}'",
    "env -C x {c}",
    "env --chdir=x {c}",
    "env -v {c}",
  ),
  of(
    "xargs",
    "xargs {c}",
    "xargs -0 {c}",
    "xargs -n1 -P 2 {c}",
    "xargs --max-args=1 {c}",
    "xargs -r -t {c}",
    "echo | xargs {c}",
    "xargs -I{} {c}",
    "xargs -a f {c}",
    "xargs -d '\\n' {c}",
  ),
  of("xargs sh", "echo '{w}' | xargs -I{} sh -c '{}'"),
  of("xargs env", "echo '{w}' | xargs env"),
  of(
    "find",
    "find . -exec {c} \\;",
    "find . -name x -execdir {c} {} +",
    "find -L a b -ok {c} \\;",
    "find . -okdir {c} ';'",
  ),
  of(
    "parallel",
    "parallel {w} ::: a",
    "parallel {t} ::: a",
    "parallel ::: {t} b",
    "parallel -j2 {w}",
    "echo {t} | parallel",
  ),
  of(
    "timeout",
    "timeout 5 {c}",
    "timeout -k 1 5s {c}",
    "timeout --signal=KILL --foreground 1m {c}",
    "timeout -s KILL 5 {c}",
  ),
  of("nice", "nice {c}", "nice -n 5 {c}", "nice -n5 {c}", "nice -5 {c}", "nice --adjustment=5 -- {c}"),
  of("ionice", "ionice {c}", "ionice -c3 {c}", "ionice -c 2 -n 7 {c}", "ionice --class idle {c}"),
  of("nohup", "nohup {c}", "nohup -- {c} &"),
  of("setsid", "setsid {c}", "setsid -fw {c}", "setsid --wait {c}"),
  of("stdbuf", "stdbuf -oL {c}", "stdbuf -i0 -o0 -e0 {c}", "stdbuf --output=L {c}"),
  of("time", "/usr/bin/time {c}", "/usr/bin/time -f x {c}", "command time -p {c}", "/usr/bin/time -o out {c}"),
  of("watch", "watch {t}", "watch -n 1 {w}", "watch -x {c}", "watch --interval=2 -t {t}"),
  of("flock", "flock f {c}", "flock -n f {c}", "flock -w 3 f -c {t}", "flock --exclusive f --command {t}"),
  of("script", "script -qc {t} /dev/null", "script -q /dev/null {c}", "script --command={t}", "script -e -c {t}"),
  of("unshare", "unshare {c}", "unshare -r {c}", "unshare --mount --map-root-user {c}"),
  of("chroot", "chroot / {c}", "chroot --userspec=a:b / {c}"),
  of(
    "sudo",
    "sudo {c}",
    "sudo -u x -E {c}",
    "sudo -n -- {c}",
    "sudo -s {c}",
    "sudo -i {c}",
    "sudo CI=1 {c}",
    "sudo --user=x {c}",
  ),
  of("doas", "doas {c}", "doas -u x {c}"),
  of("su", "su -c {t}", "su x -c {t}", "su - x --command {t}", "su -l x -c {t}"),
  of("runuser", "runuser -u x -- {c}", "runuser -u x {c}", "runuser -l x -c {t}"),
  of("pkexec", "pkexec {c}", "pkexec --user x {c}"),
  of("busybox", "busybox {c}", "busybox sh -c {t}", "busybox timeout 5 {c}"),
  of("npx", "npx {c}", "npx -y -- {c}", "npx -c {t}", "npx --yes {c}"),
  of("npm", "npm exec {c}", "npm exec -- {c}", "npm x -c {t}", "npm --silent exec -- {c}"),
  of("pnpm", "pnpm exec {c}", "pnpm dlx {c}"),
  of("yarn", "yarn exec {c}", "yarn dlx {c}"),
  of("bunx", "bunx {c}"),
  of("uv", "uv run {c}", "uv run -- {c}", "uv run --no-sync {c}", "uv run --with x {c}", "uv tool run {c}"),
  of("uvx", "uvx {c}"),
  of("poetry", "poetry run {c}", "poetry -q run {c}", "poetry -C x run {c}"),
  of("pipenv", "pipenv run {c}"),
  of("bundle", "bundle exec {c}"),
  of(
    "git",
    "git -c alias.x='!{w}' x",
    "git submodule foreach {t}",
    "git bisect run {w}",
    "git rebase -x {t}",
    "git rebase --exec={t}",
  ),
  of("strace", "strace {c}", "strace -f -e trace=file {c}", "strace -o out {c}"),
  of("ltrace", "ltrace {c}", "ltrace -o x {c}"),
  of(
    "docker",
    "docker exec c {c}",
    "docker exec -it -u 0 c {c}",
    "docker run --rm -v a:b img {c}",
    "docker compose exec web {c}",
    "docker --context x exec c {c}",
    "docker run --weird img {c}",
  ),
  of("kubectl", "kubectl exec p -- {c}", "kubectl -n x exec p -c y -- {c}"),
  of("ssh", "ssh host {w}", "ssh host {t}", "ssh -p 2 host -- {w}"),
  of("taskset", "taskset 1 {c}", "taskset -c 0-3 {c}"),
  of("chrt", "chrt 10 {c}", "chrt -b 0 {c}"),
  of("prlimit", "prlimit --nofile=5 {c}"),
  of("systemd-run", "systemd-run --user {c}"),
  of("tmux", "tmux new -d {t}", "tmux new {w}"),
  of("screen", "screen -dm {c}"),
  of("at", "echo {t} | at now"),
  of("bwrap", "bwrap --bind / / {c}"),
  of("fakeroot", "fakeroot {c}", "fakeroot -- {c}"),
  of("trap", "trap {t} EXIT"),
  of("tar", "tar cf x --to-command={t} y"),
  of("rsync", "rsync -e {t} a b"),
  of("entr", "entr {c}"),
  of("oksh", "oksh -c {t}"),
  of("bash-static", "bash-static -lc {t}"),
  of("rzsh", "rzsh -c {t}"),
  of("osh", "osh -c {t}"),
  of("cmd", "cmd /c {w}", "cmd.exe /c {t}"),
  of("wsl", "wsl {w}", "wsl.exe -e {w}"),
  of("hyperfine", "hyperfine {t}", "hyperfine --warmup 3 {t}"),
  of("srun", "srun {c}", "srun -n 4 {c}"),
  of("mpirun", "mpirun -np 2 {c}"),
  of("xvfb-run", "xvfb-run -a {c}"),
  of("choom", "choom -n 1 -- {c}"),
  of("dumb-init", "dumb-init -- {c}", "dumb-init {c}"),
  of("systemd-inhibit", "systemd-inhibit {c}"),
  of("ld-linux-x86-64.so", "/lib64/ld-linux-x86-64.so.2 {c}"),
  of("vim.tiny", "vim.tiny -c ':!{w}'", "vim.basic -es -c '!{w}' -c q"),
  of("gdb-multiarch", "gdb-multiarch -batch -ex '!{w}'", "cgdb -ex '!{w}'"),
  of("duckdb", "duckdb -c '.shell {w}'"),
  of("original-awk", "original-awk 'BEGIN{system(\"{w}\")}'", "goawk 'BEGIN{\"{w}\"|getline}'"),
  of("ssed", "ssed '1e {w}' x"),
  of("jython", "jython -c 'import os; os.system(\"{w}\")'"),
  of("jruby", "jruby -e 'system(\"{w}\")'"),
  of("erl", "erl -noshell -eval 'os:cmd(\"{w}\")'"),
];

/** Programs that nobody has described: what a rule denies is found among their words. */
export const UNDESCRIBED_STARTERS: readonly string[] = [
  ..."direnv exec .|mise exec --|mise x --|asdf exec|volta run|fnm exec|rbenv exec|pyenv exec|micromamba run|tox exec --|pixi run|dotenv --".split(
    "|",
  ),
  ..."dotenvx run --|env-cmd|op run --|chamber exec x --|doppler run --|aws-vault exec x --|teller run|lerna exec --|nx exec --|turbo run".split(
    "|",
  ),
  ..."lxc-attach -n x --|multipass exec x --|limactl shell x|toolbox run|distrobox enter x --|flatpak-spawn --host|buildah run x|crictl exec x".split(
    "|",
  ),
  ..."ip netns exec x|cgexec -g x|runcon x|minijail0|nsjail --|firecracker x|uftrace record|heaptrack|gamemoderun|mangohud|optirun|prime-run".split(
    "|",
  ),
  ..."xterm -e|gnome-terminal --|alacritty -e|kitty|foot|wezterm start|zellij run --|abduco -n x|tsp|pueue add --|reflex --|onchange x --".split(
    "|",
  ),
  ..."qemu-x86_64|box64|wine|nyc|c8 --|0x|clinic doctor --|cross-env A=1|prove --exec|yarn run|yarn workspaces foreach -A exec|pnpm|bun|arch -x86_64".split(
    "|",
  ),
].map((start) => `${start} {c}`);

/** The same with a text, alone or inside a language of theirs. */
export const UNDESCRIBED_READERS: readonly string[] = [
  ..."multitime {t}|cross-env-shell {t}|sops exec-env x {t}|xterm -e {t}|watchman-make --run {t}|chokidar x -c {t}|npm-run-all {t}|dvtm {t}".split(
    "|",
  ),
  ..."fzf --preview={t}|sk --preview {t}|peco --exec {t}|ag --pager={t} x|ack --pager={t} x|bat --pager={t} x|ugrep --filter='*:{w}' x".split(
    "|",
  ),
  ..."split --filter={t} x|diff3 --diff-program={t} a b c|sdiff --diff-program={t} a b|install -s --strip-program={t} a b|cloc --extract-with={t} x".split(
    "|",
  ),
  ..."yt-dlp --exec {t} x|aria2c --on-download-complete={t} x|wget --use-askpass={t} x|i3-msg exec {t}|xdotool exec {t}|latexmk -pdflatex={t} x".split(
    "|",
  ),
  ..."pylint --init-hook='import os;os.system(\"{w}\")' x|lf -command '!{w}'|vifm -c '!{w}'|fzf --bind 'enter:execute({w})'|rpmspec --eval '%({w})'".split(
    "|",
  ),
  ..."exim -be '${run{{w}}}'|someshell <<< {t}|gh alias set x '!{w}'|hg --config alias.x='!{w}' x|svn diff --diff-cmd {t}".split(
    "|",
  ),
  "echo {t} | pueue",
];

/** Around a whole text; they need no entry. */
export const FRAMES: readonly string[] = [
  "( {T} )",
  "{ {T}; }",
  "if true; then {T}; fi",
  "f() { {T}; }; f",
  "true && {T}",
  "false || {T}",
  "echo $( {T} )",
  "! {T}",
  "for i in a b; do {T}; done",
  "CI=1 {c}",
  "time {c}",
];
