/** Ordinary commands of many programs, in every style of options. Each is judged with a rule that allows its first word whatever follows. */

const LINES = `
kubectl get pods
kubectl get deploy,svc -n shop -o wide
kubectl -n shop get pod web-0 --output=yaml
kubectl --context staging describe node worker-3
kubectl logs -f deploy/web --tail=50 --since 10m
kubectl logs web-0 -c sidecar --previous
kubectl top pods --sort-by=memory
kubectl rollout status deployment/web --timeout=90s
kubectl rollout history deploy web
kubectl apply -f deploy/web.yaml --dry-run=server
kubectl diff -f deploy/
kubectl explain pod.spec.containers --recursive
kubectl api-resources --namespaced=true
kubectl config current-context
kubectl config get-contexts -o name
kubectl auth can-i create pods --as=ci
kubectl cluster-info
kubectl version --client
kubectl scale --replicas=2 deploy/web
kubectl port-forward svc/web 8080:80
kubectl wait --for=condition=ready pod -l app=web
kubectl get events --field-selector type=Warning --watch
kubectl exec web-0 -- ls /srv
kubectl get cm settings -o jsonpath='{.data.mode}'
oc get routes
oc status --suggest
helm list -A
helm ls --namespace shop --output json
helm status web -n shop
helm history web --max 5
helm template web charts/web -f charts/web/values.yaml --set image.tag=1.4
helm lint charts/web --strict
helm show values repo/web
helm search repo web --versions
helm repo list
helm repo update
helm get manifest web
helm dependency build charts/web
helm upgrade --install web charts/web --atomic --wait --timeout 5m
helm version --short
helm env
brew list --versions
brew info jq
brew search postgres
brew outdated --json=v2
brew deps --tree node
brew doctor
brew --prefix openssl
brew services list
brew config
brew update
brew upgrade ripgrep
brew install --cask rectangle
brew uses --installed zlib
brew cleanup -n
docker ps --format '{{.Names}}'
docker image ls --filter dangling=true
docker images -q
docker container inspect web
docker inspect --format '{{.State.Status}}' web
docker logs --tail 100 -t web
docker network ls
docker volume inspect data
docker system df -v
docker compose ps
docker compose -f compose.yaml config --services
docker compose logs -f --no-color api
docker compose up -d --build
docker compose down --remove-orphans
docker build -t web:dev -f docker/Dockerfile .
docker build --target test --build-arg VERSION=3 .
docker tag web:dev registry.local/web:dev
docker pull alpine:3.20
docker stats --no-stream
docker history web:dev
docker context ls
docker --version
docker version --format '{{.Server.Version}}'
docker exec web ls -la /srv
docker run --rm web:dev
docker stop -t 5 web
docker rm -f web
docker cp web:/srv/out.txt out.txt
docker manifest inspect alpine:3.20
docker buildx ls
podman ps -a --sort names
podman images --noheading
podman pod ls
podman inspect -f '{{.Id}}' web
podman system info
podman build --tag web .
gh pr list --state open --limit 20
gh pr view 12 --json title,body
gh pr checks 12 --watch
gh pr diff 12
gh pr create --title "Fix the parser" --body "See the tests" --draft
gh issue list -L 5 --label bug
gh issue view 7 --comments
gh run list --workflow ci.yml
gh run view 123456 --log-failed
gh repo view --web=false
gh release list
gh api repos/o/r/pulls --paginate
gh auth status
gh search code parser --language go
gh workflow list --all
glab mr list
glab ci status
terraform init -backend=false
terraform validate
terraform plan -out plan.bin -var region=eu
terraform show -json plan.bin
terraform state list
terraform output -raw url
terraform workspace show
tofu plan -lock=false
aws s3 ls s3://bucket/prefix/ --recursive --human-readable
aws ec2 describe-instances --filters Name=tag:env,Values=dev --query 'Reservations[].Instances[].InstanceId'
aws --profile dev --region eu-west-1 sts get-caller-identity
aws logs tail /svc/web --since 1h --format short
aws cloudformation describe-stacks --stack-name web
aws lambda list-functions --max-items 10 --output table
gcloud projects list --format=json
gcloud config list
gcloud compute instances list --zones europe-west1-b
gcloud logging read 'severity>=ERROR' --limit 5
az group list -o table
az vm show -g rg -n vm1 --query id
az account show
flyctl status --app web
heroku logs -n 200 -a web
vercel ls --yes
netlify status
doctl compute droplet list
psql --version
psql -l
psql -h db.local -U app -d shop -c 'select count(*) from orders'
psql -At -f queries/report.sql shop
mysql --version
mysql -u app -h db.local shop -e 'show tables'
sqlite3 data/app.db '.tables'
sqlite3 -json data/app.db 'select id, name from item limit 5'
sqlite3 -header -column data/app.db 'pragma table_info(item)'
redis-cli -h cache.local ping
redis-cli --scan --pattern 'job:*'
mongosh --version
duckdb -csv -c "select 1"
openssl version -a
openssl x509 -in site.crt -noout -enddate
openssl dgst -sha256 dist/app.tar.gz
openssl rand -hex 16
openssl s_client -connect example.org:443 -servername example.org
ssh-keygen -lf known.pub
curl -s https://example.org/health
curl -sSfL -o out.json https://example.org/data.json
curl --silent --show-error --fail --max-time 10 --retry 3 https://example.org
curl -I -H 'Accept: application/json' https://example.org
curl -X POST --data '{"a":1}' --header 'Content-Type: application/json' http://localhost:3000/items
curl -w '%{http_code}\\n' -o /dev/null -s http://localhost:8080
curl --compressed --location --url https://example.org/a
wget -q https://example.org/file.txt
wget --spider --timeout=5 --tries 2 https://example.org
wget -O page.html https://example.org
http GET :3000/items page==2
xh -b https://example.org
ping -c 3 -W 2 localhost
dig +short example.org MX
host -t txt example.org
nslookup example.org
nc -z localhost 5432
ss -ltnp
netstat -an
lsof -i :3000
ip -br addr show
npm view react version
npm view --json react dist-tags
npm ls --all --omit=dev
npm outdated --long
npm pack --dry-run
npm run dev -- --port 4000
npm install --save-dev --save-exact typescript@5
npm ci --ignore-scripts --no-audit
npm uninstall left-pad
npm prefix -g
npm root
npm config get registry
npm help install
npm version patch --no-git-tag-version
npm audit --audit-level=high
npm dedupe
npm fund
npm whoami
pnpm -r --filter './packages/*' run build
pnpm add -D vitest
pnpm why lodash
pnpm store path
yarn install --frozen-lockfile
yarn workspaces list
yarn why react
bun install
bun test --bail
npx tsc --noEmit -p tsconfig.build.json
pip list --format=json
pip show -f requests
pip freeze --local
pip install -r requirements.txt --no-deps
pip install --upgrade pip
pip check
pip download --dest wheels flask
pip index versions flask
uv pip list
uv sync --frozen
uv lock --check
uv add httpx --dev
uv tree --depth 2
uv run pytest -q
uv python list
uv --version
poetry show --tree
poetry install --no-root
poetry run pytest
pipenv graph
conda env list
conda list -n base
pyenv versions
rbenv version
nvm current
asdf list nodejs
mise ls
rustup show
rustup toolchain list
gem list --local
gem outdated
bundle outdated --strict
bundle exec rspec spec/a_spec.rb
composer show --tree
composer validate --no-check-all
mix deps.tree
cargo metadata --format-version 1 --no-deps
cargo tree --duplicates --edges normal
cargo build --release --target-dir out
cargo test -p core --test parser -- --nocapture
cargo clippy --all-targets -- -D warnings
cargo update --dry-run
cargo info serde
cargo add anyhow --dev
cargo nextest run
cargo fmt --check
go mod graph
go list -m -u all
go test -race -count=1 ./...
go build -ldflags '-s -w' -o bin/app ./cmd/app
go env GOPATH
go tool cover -func=cover.out
go generate ./...
mvn -q -DskipTests package
mvn dependency:tree -Dincludes=org.slf4j
gradle dependencies --configuration runtimeClasspath
gradle :app:test --tests 'a.b.C' --info
dotnet test --no-build --logger trx
dotnet list package --outdated
swift package show-dependencies
deno check main.ts
deno task build
zig build test
make -C native -j8 all
make --dry-run install
make V=1 check
cmake -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug
ctest --output-on-failure -R parser
ninja -C build -t targets
meson setup build
bazel query //...
just --list
rake -T
ant -p
git -C packages/core status --short
git --no-pager -c core.quotepath=off diff --stat
git fsck --full
git branch --remote --sort=-committerdate
git show-branch main feature
git lfs ls-files
git bisect log
git help commit
git config --list --show-origin
git submodule status
git log --pretty=format:'%h %s' --since='2 weeks ago' -- src
git worktree list --porcelain
git push origin HEAD --dry-run
git stash show -p 'stash@{0}'
git blame -L 10,20 -w src/a.ts
git ls-remote --heads origin
git annotate src/a.ts
git maintenance run --auto
git shortlog -sne HEAD~50..
git describe --tags --always --long
find src -name '*.ts' -newer package.json -size +1k
find . -maxdepth 2 -type d -not -path './node_modules/*'
find . -regextype posix-extended -regex '.*[.](js|ts)' -printf '%p %s\\n'
find build -empty -delete
fd -e ts --changed-within 2d
fd --hidden --exclude node_modules config
rg --json -n 'deprecated' src
rg -tpy --sort path --stats import
rg -F 'a.b' --max-columns 200 -C2
grep -RInE --include='*.c' 'malloc|free' src
ag --js useState
sed -n '/begin/,/end/p' notes.txt
sed -E 's/([a-z]+)=([0-9]+)/\\2 \\1/g' table.txt
awk -F, 'NR > 1 && $3 > 10 { sum += $3 } END { print sum }' data.csv
awk '{ if ($1 >= 2) print $2; else print "-" }' data.txt
awk '/error|warn/ { count++ } END { print count }' app.log
sort -t, -k2,2n -u data.csv
sort --key=3 --parallel=2 data.txt
cut -d: -f1,3 table.txt
tr -s ' ' '\\n'
uniq -c
jq -r '.items[] | select(.a > 1) | .b' data.json
jq --arg name x --slurp 'map(.id)' data.json
yq '.services | keys' compose.yaml
yq -i '.version = 2' config.yaml
xmllint --format --noout feed.xml
tar -tzf dist.tar.gz
tar -xzf dist.tar.gz -C out --strip-components=1
tar --exclude=node_modules -cJf src.tar.xz src
zip -r -9 dist.zip dist -x '*.map'
unzip -o dist.zip -d out
7z l archive.7z
gzip -dk data.gz
zstd -19 -T0 data.bin
rsync -avn --delete src/ backup/
rsync --archive --exclude .git --stats a/ b/
du -sh --max-depth=1 .
df -hT
ls -lAh --sort=size --group-directories-first
tree -L 2 -I 'node_modules|dist' --du
stat -c '%n %s' package.json
wc -lw README.md
diff -ru --exclude=dist old new
cmp -s a.bin b.bin
file --mime-type logo.png
base64 -w0 logo.png
xxd -l 64 a.bin
hexdump -C -n 32 a.bin
ps aux --sort=-%cpu
pgrep -fl node
kill -0 4711
pkill -USR1 -f worker
top -b -n 1
uptime
free -m
date -u +%Y-%m-%dT%H:%M:%SZ
env | sort
printenv PATH
which -a python3
timeout 30 npm test
time make check
nice -n 10 make -j2
nohup npm run worker
watch -n 2 ls
xargs -n 1 echo
tee build.log
node --version
node --inspect=0 scripts/serve.mjs --port=1
node --env-file=settings.txt app.js
node --run build
node -p 'process.version'
tsx watch src/main.ts
ts-node -P tsconfig.json tool.ts
python -m venv venv
python -m json.tool data.json
python -m pip list
python -X dev -W error -m pytest tests
python3 -c 'import sys; print(sys.version)'
python manage.py migrate --plan
ruby -w script.rb
ruby -e 'puts 1'
perl -ne 'print if /x/' a.txt
php artisan route:list
php -m
java -jar tool.jar --help
javac -d out src/A.java
kotlinc -version
rustc --edition 2021 --emit=metadata main.rs
gcc -O2 -march=native -fno-omit-frame-pointer -DNDEBUG -Iinclude -c a.c
clang++ -std=c++20 -Weverything -fsyntax-only a.cpp
clang-tidy -p build src/a.cpp
gdb --version
valgrind --leak-check=full ./app
strace -c ls
perf stat ls
pytest -x --maxfail=1 -k 'parser and not slow' -p no:cacheprovider
ruff check --fix --select E,F src
ruff format --diff
mypy --strict --show-error-codes src
black --check --diff .
tox -e py312
pre-commit run --all-files
eslint --ext .ts --max-warnings 0 src
prettier --write 'src/**/*.ts'
tsc -b --watch
vitest run --reporter=dot src/a.test.ts
jest --coverage --runInBand
playwright test --project=chromium
cypress run --spec cypress/e2e/a.cy.ts
webpack --mode production
vite build --sourcemap
esbuild src/a.ts --bundle --outfile=dist/a.js
next lint
turbo run build --filter=web
nx affected -t test
lerna list
buf lint
protoc --version
hadolint Dockerfile
shellcheck -x scripts/a.sh
actionlint
ansible --version
ansible-inventory --list
ansible-playbook site.yml --check --diff
ansible-lint site.yml
vagrant status
packer validate image.pkr.hcl
systemd-analyze verify unit.service
journalctl -u web --since today --no-pager
ffmpeg -i in.mp4 -vf scale=640:-1 out.mp4
convert logo.png -resize 50% small.png
pandoc README.md -o README.html
man -k socket
less README.md
vim --version
code --list-extensions
open .
bash scripts/build.sh --fast
bash -c 'ls src'
bash -lc 'git status'
sh -n scripts/a.sh
zsh --version
mktemp -d
ln -s ../shared/data data
install -m 755 a.sh bin/a
cp -a src copy
mv --no-clobber a.txt b.txt
rm -rf dist
mkdir -p out/a/b
chmod +x scripts/a.sh
touch -d yesterday a.txt
seq 1 3
echo "done: $(date)"
printf '%s\\n' a b
npm test 2>&1 | tail -n 40
git log --oneline | head -5
cat package.json | jq .version
kubectl get pods -o json | jq '.items | length'
docker ps -q | wc -l
npm run build && npm test
cd packages/core && npm test
CI=1 npm test
`;

export const NAMED_COMMANDS: readonly string[] = LINES.trim().split("\n");
