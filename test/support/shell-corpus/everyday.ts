/** What developers type on an ordinary day, as shell text. Lines without shell syntax are argument lists as well. */

const LINES = `
git status
git status --short
git diff
git diff --stat
git diff --cached
git diff HEAD~1
git diff main...HEAD --name-only
git log --oneline -10
git log --oneline --graph --all
git log -5 --stat
git log -p -1
git log --since=yesterday --author=me
git show HEAD
git show --stat HEAD~2
git show HEAD:package.json
git branch
git branch -a
git branch --show-current
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files --others --exclude-standard
git blame src/index.ts
git add src/index.ts
git add -A
git commit -m "Fix the parser"
git commit -am 'Fix it'
git stash
git stash pop
git stash list
git checkout -b fix/parser
git switch main
git restore src/index.ts
git merge-base main HEAD
git tag
git remote -v
git describe --tags
git shortlog -sn
git reflog
git grep -n parse
git cherry-pick abc123
git --no-pager log -3
git log --format=%h
npm test
npm run build
npm run lint
npm run typecheck
npm run test -- --coverage
npm test -- src/parser.test.ts
npm ci
npm install
npm ls
npm ls --depth=0
npm outdated
npm audit
npm run
npm --version
npm run format
npm test --silent
npm run build --workspace=web
pnpm test
pnpm install --frozen-lockfile
pnpm run build
pnpm lint
pnpm -r test
yarn test
yarn install --frozen-lockfile
yarn build
yarn lint
node --version
node script.js
node --test
node --test test/parser.test.js
node --check src/index.js
node scripts/build.mjs --watch
python --version
python3 --version
python script.py
python3 -m pytest
python -m pytest tests -q
python -m unittest
python -m mypy src
pytest
pytest -q
pytest -x tests/test_parser.py
pytest -k parser --maxfail=1
pytest tests/test_a.py::test_b -vv
ruff check .
ruff format --check .
black --check .
mypy src
flake8 src
pylint src
isort --check-only .
go build ./...
go test ./...
go test -v -run TestParse ./pkg/parser
go test -race -count=1 ./...
go vet ./...
go fmt ./...
go mod tidy
go list ./...
go version
gofmt -l .
golangci-lint run
cargo build
cargo build --release
cargo test
cargo test parser -- --nocapture
cargo check
cargo clippy --all-targets
cargo fmt --check
cargo tree
cargo --version
make
make test
make build
make -j4
make lint
make -n test
cmake -S . -B build
cmake --build build
ls
ls -la
ls -l src
ls src test
cat package.json
cat src/index.ts
cat README.md
head -20 README.md
head -n 50 src/index.ts
tail -n 20 build.log
tail -50 build.log
wc -l src/index.ts
grep -rn parse src
grep -n "export function" src/index.ts
grep -ri "some text" docs
grep -c error build.log
grep -v debug build.log
grep -E "^(a|b)" file.txt
grep -rl useState src --include=*.tsx
rg parse
rg -n "function parse" src
rg -l useState src
rg --files
rg -i error -g "*.log"
rg -t ts parse
find . -name "*.ts"
find src -type f
find . -name node_modules -prune -o -name "*.js" -print
find src -name "*.test.ts" -type f
find . -maxdepth 2 -type d
find . -type f -size +1M
find src -name "*.ts" -newer package.json
sed -n 1,50p src/index.ts
sed -n "10,20p" src/index.ts
sed "s/foo/bar/g" src/a.txt
sed -n "/start/,/end/p" log.txt
awk "{print \\$1}" file.txt
awk '{print $1}' file.txt
awk -F: '{print $1, $3}' users.txt
awk 'NR==5' file.txt
awk 'NR>=5 && NR<=9' file.txt
pwd
which node
date
whoami
uname -a
echo hello
echo "done"
printf "%s\\n" hello
true
sort names.txt
sort -u names.txt
sort -k2 -n data.txt
uniq names.txt
cut -d, -f1 data.csv
tr a-z A-Z
diff a.txt b.txt
diff -u a.txt b.txt
stat package.json
file dist/app
du -sh dist
df -h
basename src/index.ts
dirname src/index.ts
realpath src
tree -L 2
jq .version package.json
jq -r ".scripts | keys[]" package.json
tsc --noEmit
tsc -p tsconfig.json
eslint .
eslint src --ext .ts
eslint --fix src/index.ts
prettier --check .
prettier --write src/index.ts
biome check .
vitest run
vitest run src/parser.test.ts
jest
jest --coverage
jest src/parser.test.ts -t "parses"
mocha
mkdir -p build/out
touch src/new.ts
cp src/a.ts src/b.ts
mv src/old.ts src/new.ts
rm src/old.ts
rm -rf dist
rm -rf build/out
git log --oneline | head -5
git diff --name-only | wc -l
git ls-files | grep test
git status --short | wc -l
cat package.json | jq .scripts
ls -la | grep src
ls src | wc -l
grep -rn parse src | head -20
grep -rl foo src | sort
grep -rn import src | wc -l
cat log.txt | sort | uniq -c | sort -rn | head -10
rg -l foo | sort
find . -name "*.ts" | head -20
find src -name "*.ts" | wc -l
find src -name "*.ts" | xargs wc -l
find src -name "*.ts" -exec grep -l foo {} +
find src -name "*.ts" | xargs grep -n foo
npm test 2>&1 | tail -20
npm run build 2>&1 | head -50
npm test > /dev/null 2>&1
pytest -q 2>&1 | tail -5
cargo test 2>&1 | tail -n 30
go test ./... 2>&1 | grep FAIL
make test 2>&1 | tail -20
npm run lint && npm test
npm run build && npm run lint && npm test
cd packages/web && npm test
cd src && ls
git add -A && git commit -m "Add tests"
git status && git diff
ls -la && pwd
npm test || echo failed
mkdir -p out && cp README.md out/
test -f package.json && echo yes
[ -f package.json ] && cat package.json
[ -d dist ] || npm run build
NODE_ENV=test npm test
CI=1 npm test
CI=true npm run build
FORCE_COLOR=0 npm test
RUST_BACKTRACE=1 cargo test
DEBUG=app npm test
TZ=UTC npm test
env CI=1 npm test
timeout 60 npm test
time npm test
timeout 30s pytest -q
nice -n 10 make
bash -c "npm test"
sh -c 'npm run lint && npm test'
cat src/index.ts | head -40 | tail -10
echo "a b c" | tr " " "\\n"
for f in a b c; do echo hello; done
if [ -f package.json ]; then npm test; fi
ls *.md
cat src/*.ts
wc -l src/*.ts
git diff -- src
(cd web && npm test)
docker ps
poetry run pytest
uv run pytest -q
bundle exec rspec
php -l index.php
ruby test.rb
gcc -Wall -o build/app main.c
mvn test
dotnet test
swift build
terraform fmt -check
shellcheck script.sh
npx tsc --noEmit
command -v node
type npm
`;

export interface Everyday {
  readonly text: string;
  /** The same without a shell, where no shell is needed. */
  readonly argv?: readonly string[];
}

export const EVERYDAY: readonly Everyday[] = LINES.trim()
  .split("\n")
  .map((text) => (/^[\w ./:=%+,@~-]+$/.test(text) && !/^\w+=/.test(text) ? { text, argv: text.split(" ") } : { text }));
